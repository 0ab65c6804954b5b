extern "C" int sl_simdjson_placeholder(void) { return 0; }
