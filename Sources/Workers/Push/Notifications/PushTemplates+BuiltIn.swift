extension PushTemplates {
    /// Built-in texts, in the format of a template file.
    static let builtIn = """
        {
          "en": {
            "driver_accepted": [
              {"title": "{driver} is on the way", "body": "Look out for a {color} {make} {model}, {plate}."},
              {"title": "{driver} is on the way", "body": "Look out for a {color} {model}."},
              {"title": "{driver} is on the way", "body": "Your driver has accepted the trip."},
              {"title": "Your driver is on the way", "body": "Look out for a {color} {model}."},
              {"title": "Your driver is on the way", "body": "A driver has accepted your trip."}
            ],
            "driver_arrived": [
              {"title": "{driver} has arrived", "body": "Your {color} {model} is waiting, {plate}."},
              {"title": "{driver} has arrived", "body": "Your {color} {model} is waiting."},
              {"title": "{driver} has arrived", "body": "Your driver is waiting at the pickup."},
              {"title": "Your driver has arrived", "body": "Your driver is waiting at the pickup."}
            ],
            "trip_started": [
              {"title": "Your trip has started", "body": "Have a good ride with {driver}."},
              {"title": "Your trip has started", "body": "Have a good ride."}
            ],
            "trip_completed": [
              {"title": "You have arrived", "body": "How was your ride with {driver}? Rate it in the app."},
              {"title": "You have arrived", "body": "How was your ride? Rate it in the app."}
            ],
            "driver_cancelled": [
              {"title": "{driver} had to cancel", "body": "We are looking for another driver for you."},
              {"title": "Your driver had to cancel", "body": "We are looking for another driver for you."}
            ],
            "trip_cancelled": [
              {"title": "Your trip was cancelled", "body": "Open the app for details."}
            ],
            "no_driver_found": [
              {"title": "No driver found", "body": "No driver is free near you. Please try again."}
            ],
            "eta_later": [
              {"title": "Arriving later", "body": "Your trip takes about {minutes} min longer than expected."},
              {"title": "Arriving later", "body": "Your trip takes longer than expected."}
            ],
            "eta_sooner": [
              {"title": "Arriving sooner", "body": "Your trip is about {minutes} min faster than expected."},
              {"title": "Arriving sooner", "body": "Your trip is faster than expected."}
            ]
          },
          "de": {
            "driver_accepted": [
              {"title": "{driver} ist unterwegs", "body": "Achten Sie auf: {make} {model} ({color}), {plate}."},
              {"title": "{driver} ist unterwegs", "body": "Achten Sie auf: {model} ({color})."},
              {"title": "{driver} ist unterwegs", "body": "Ihre Fahrt wurde angenommen."},
              {"title": "Ihre Fahrt wurde angenommen", "body": "Achten Sie auf: {model} ({color})."},
              {"title": "Ihre Fahrt wurde angenommen", "body": "Ihr Wagen ist unterwegs."}
            ],
            "driver_arrived": [
              {"title": "{driver} ist da", "body": "Am Abholort wartet: {model} ({color}), {plate}."},
              {"title": "{driver} ist da", "body": "Am Abholort wartet: {model} ({color})."},
              {"title": "{driver} ist da", "body": "Ihr Wagen wartet am Abholort."},
              {"title": "Ihr Wagen ist da", "body": "Ihr Wagen wartet am Abholort."}
            ],
            "trip_started": [
              {"title": "Ihre Fahrt hat begonnen", "body": "Gute Fahrt mit {driver}."},
              {"title": "Ihre Fahrt hat begonnen", "body": "Gute Fahrt."}
            ],
            "trip_completed": [
              {"title": "Sie sind angekommen", "body": "Wie war die Fahrt mit {driver}? Bewerten Sie sie in der App."},
              {"title": "Sie sind angekommen", "body": "Wie war die Fahrt? Bewerten Sie sie in der App."}
            ],
            "driver_cancelled": [
              {"title": "{driver} musste absagen", "body": "Wir suchen einen anderen Wagen für Sie."},
              {"title": "Ihre Fahrt wurde abgesagt", "body": "Wir suchen einen anderen Wagen für Sie."}
            ],
            "trip_cancelled": [
              {"title": "Ihre Fahrt wurde storniert", "body": "Einzelheiten finden Sie in der App."}
            ],
            "no_driver_found": [
              {"title": "Kein Wagen gefunden", "body": "In Ihrer Nähe ist kein Wagen frei. Bitte versuchen Sie es erneut."}
            ],
            "eta_later": [
              {"title": "Spätere Ankunft", "body": "Ihre Fahrt dauert etwa {minutes} min länger als erwartet."},
              {"title": "Spätere Ankunft", "body": "Ihre Fahrt dauert länger als erwartet."}
            ],
            "eta_sooner": [
              {"title": "Frühere Ankunft", "body": "Ihre Fahrt ist etwa {minutes} min schneller als erwartet."},
              {"title": "Frühere Ankunft", "body": "Ihre Fahrt ist schneller als erwartet."}
            ]
          }
        }
        """
}
