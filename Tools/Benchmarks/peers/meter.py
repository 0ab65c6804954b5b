"""Rate and processor time of a peer, printed as one line of JSON."""

import json
import resource
import time


class Meter:
    """Counts records and measures from the first record to the end, excluding the start of the program."""

    def __init__(self):
        self.records = 0

    def count(self, records=1):
        if self.records == 0:
            self.began = self.read()
        self.records += records

    def finish(self):
        """Prints the report; must be called after the last record."""
        seconds, cpu = (now - then for now, then in zip(self.read(), self.began))
        print(json.dumps({"records": self.records, "seconds": seconds, "cpu_seconds": cpu}), flush=True)

    @staticmethod
    def read():
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return time.monotonic(), usage.ru_utime + usage.ru_stime
