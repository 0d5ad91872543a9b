"""The files that are text: a web page, Markdown and plain text."""

from __future__ import annotations

ACCESSIBILITY = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Travelling with a disability – Skerrow Line</title>
<style>
body { font-family: "Liberation Sans", Arial, sans-serif; font-size: 11pt; line-height: 1.4; }
table { border-collapse: collapse; margin: 1em 0; }
th, td { border: 1px solid #555; padding: 4px 8px; text-align: left; }
h2.next { break-before: page; page-break-before: always; }
</style>
</head>
<body>
<h1>Travelling with a disability</h1>
<p>Everyone should be able to use our ships. This page says what each ship and pier offers, and how we help.
Last changed on 20 February 2026.</p>
<h2>What the ships offer</h2>
<table>
<tr><th rowspan="2">Ship</th><th colspan="2">Wheelchairs</th><th rowspan="2">Lift</th><th rowspan="2">Hearing loop</th></tr>
<tr><th>Places</th><th>Widest door</th></tr>
<tr><td>MV Kittiwake</td><td>8</td><td>92 cm</td><td>Car deck to saloon, 630 kg</td><td>Saloon and purser's desk</td></tr>
<tr><td>MV Guillemot</td><td>5</td><td>86 cm</td><td>Car deck to saloon, 400 kg</td><td>Purser's desk</td></tr>
<tr><td>MV Storm Petrel</td><td>4</td><td>95 cm</td><td>Not needed: one level</td><td>Saloon</td></tr>
<tr><td>MV Dunlin</td><td>1</td><td>74 cm</td><td>None</td><td>None</td></tr>
</table>
<p>Accessible toilets are on all ships but MV Dunlin. Quiet rooms with dimmed light are on MV Kittiwake, deck 5, and on
MV Storm Petrel behind the saloon.</p>
<h2>How we help</h2>
<ul>
<li>Tell us 24 hours ahead on 0559 410 140 and someone meets you at the entrance of the pier.</li>
<li>A helper travels free with the holder of a disabled person's card.</li>
<li>Blue badge holders park free at Port Ansel for up to five days.</li>
<li>Powered scooters of up to 150 kg are carried; they must be parked on the car deck during the crossing.</li>
</ul>
<h2 class="next">What the piers offer</h2>
<p>Port Ansel and Hessay have step-free ways from the road to the ship at every tide. At Orrin the ramp is steeper than 1 in 12
for two hours before and after low water; our crew push or pull on request. At Stennick there is a lift platform for 300 kg.
Little Marrow has steps only, 14 of them.</p>
<h2>Sunflower lanyard</h2>
<p>Whoever wears a sunflower lanyard may board first and need not say why. Lanyards are free at the purser's desk; we
gave out 2,317 of them in 2025.</p>
<h2>Complaints about access</h2>
<p>Write to the access officer, Jonna Reid, 4 Customs Quay, Port Ansel. She answers within ten working days, in large print, easy
words or a recording if you wish.</p>
</body>
</html>
"""

TIMETABLE = """# Summer timetable 2026

Valid from Saturday 23 May to Sunday 13 September 2026. Times are local. Sailings marked * do not run on Sundays.

## Route 1, Port Ansel to Hessay

| Leaves Port Ansel | Arrives Hessay | Leaves Hessay | Arrives Port Ansel |
|---|---|---|---|
| 06:40 * | 07:35 | 08:00 | 08:55 |
| 09:20 | 10:15 | 10:40 | 11:35 |
| 12:05 | 13:00 | 13:25 | 14:20 |
| 14:50 | 15:45 | 16:10 | 17:05 |
| 17:30 | 18:25 | 18:50 | 19:45 |

## Route 2, Port Ansel to Orrin

| Leaves Port Ansel | Arrives Orrin | Leaves Orrin | Arrives Port Ansel |
|---|---|---|---|
| 07:15 * | 08:55 | 09:25 | 11:05 |
| 11:50 | 13:30 | 14:00 | 15:40 |
| 16:20 | 18:00 | 18:30 | 20:10 |

## Notes

- Route 4 to Little Marrow sails on request: call 0559 410 177 before 17:00 on the day before.
- On Saturday 18 July, the day of the Hessay regatta, the 14:50 sailing leaves at 15:30 instead.
- The 07:15 sailing to Orrin carries the post and may leave ten minutes late.
"""

CONTACTS = """SKERROW LINE - WHO TO CALL

Pier offices

  Port Ansel    0559 410 100   daily 6:00 to 20:30
  Hessay        0559 410 120   daily 7:00 to 19:15
  Orrin         0559 410 130   Monday to Saturday 8:30 to 18:45
  Stennick      0559 410 160   one hour before each sailing

Lost property

Things found on board are handed in at Port Ansel, counter 3, and kept for 60 days. Keys and medicines
are kept for 120 days. The fee for sending something on is 4.20 pounds.

Traffic desk

The traffic desk answers on 0559 410 200 from 5:00 to 22:00. Sailings are also announced on
channel 12 and by text message; send the word FERRY and the number of the route to 60559.

Press and filming

Requests for filming on board go to Ewan Strang, press office, 0559 410 250, at least eight working days ahead.
A drone may not be flown from any ship.
"""


def accessibility() -> bytes:
    """A web page that prints on two pages."""
    return ACCESSIBILITY.encode()


def timetable() -> bytes:
    """Markdown with two tables."""
    return TIMETABLE.encode()


def contacts() -> bytes:
    """Plain text."""
    return CONTACTS.encode()
