"""The native PDFs: fares with a ruled and an unruled table, a two-column study, a long manual."""

from __future__ import annotations

from skerrow.pdf import A5, Flow, Style

PASSENGER_FARES = [
    ["Route", "Adult single", "Adult return", "Child single", "Concession single", "Ten-journey book"],
    ["1 Port Ansel - Hessay", "£9.40", "£17.20", "£4.70", "£6.60", "£75.20"],
    ["2 Port Ansel - Orrin", "£14.80", "£27.00", "£7.40", "£10.40", "£118.40"],
    ["3 Hessay - Stennick", "£4.20", "£7.60", "£2.10", "£2.90", "£33.60"],
    ["4 Orrin - Little Marrow", "£2.80", "£5.00", "£1.40", "£2.00", "£22.40"],
]
VEHICLE_FARES = [
    ["Route", "Single", "Return", "Single", "Return", "per metre"],
    ["1 Port Ansel - Hessay", "£38.60", "£69.50", "£19.30", "£34.70", "£8.90"],
    ["2 Port Ansel - Orrin", "£61.20", "£110.20", "£30.60", "£55.10", "£13.75"],
    ["3 Hessay - Stennick", "£16.90", "£30.40", "£8.50", "£15.20", "£4.10"],
]
CHANGES = [
    ["Notice before departure", "Change of sailing", "Refund of fare"],
    ["More than 48 hours", "Free", "90 per cent"],
    ["48 hours to 4 hours", "£5.00 a booking", "50 per cent"],
    ["Less than 4 hours", "£12.00 a booking", "None"],
]


def fares() -> bytes:
    """Two A4 pages: a ruled table on the first, two without vertical rules on the second."""
    flow = Flow(
        Style(family="sans", footer="Skerrow Line, 4 Customs Quay, Port Ansel   -   page {page} of {pages}")
    )
    flow.title("Passenger and Vehicle Fares 2026", "Valid on all sailings from 1 April 2026 to 31 March 2027")
    flow.paragraph(
        "Skerrow Line sails all year between Port Ansel on the mainland and the islands of Hessay, Orrin, "
        "Stennick and Little Marrow. Fares rise by 3.8 per cent on average this year, the first increase since "
        "April 2024. The islander discount and the fare for young people stay as they are."
    )
    flow.heading("1. Passenger fares")
    flow.paragraph(
        "Children under five travel free with an adult. A child is five to fifteen years old. Concession fares "
        "are for holders of a disabled person's card, full-time students and anyone aged 66 or over."
    )
    flow.table(
        PASSENGER_FARES,
        [2.3, 1, 1, 1, 1.2, 1.3],
        caption="Table 1. Passenger fares, one person",
    )
    flow.heading("2. Islander card")
    flow.paragraph(
        "Residents of the four islands may hold an islander card. It costs £12 a year and takes 40 per cent off "
        "every adult and vehicle fare, but not off ten-journey books. Apply at any pier office with proof of "
        "address that is no older than three months. A lost card is replaced for £6."
    )
    flow.heading("3. Ten-journey books")
    flow.paragraph(
        "A ten-journey book holds ten single tickets for one route at the price of eight. It is valid for "
        "eighteen months from the day of sale and may be shared within a household. Unused tickets are not "
        "refunded, but they may be exchanged for another route on payment of the difference."
    )
    flow.heading("4. Groups and schools")
    flow.items(
        [
            "Groups of ten or more adults get 15 per cent off if they book five days ahead.",
            "School parties pay £2.50 a pupil on any route; one teacher travels free for every eight pupils.",
            "Groups of more than forty people must agree their sailing with the traffic desk beforehand.",
        ]
    )
    flow.new_page()
    flow.heading("5. Vehicle fares")
    flow.paragraph(
        "Fares cover the vehicle only; the driver and passengers pay passenger fares. Length is measured over "
        "everything, bicycle racks and tow bars included. No vehicles are carried on route 4."
    )
    flow.table(
        VEHICLE_FARES,
        [2.3, 1, 1, 1, 1, 1.1],
        caption="Table 2. Vehicle fares without driver",
        ruled=False,
        over=[(1, 2, "Car up to 5.5 m"), (3, 4, "Motorcycle"), (5, 5, "Motorhome")],
    )
    flow.paragraph(
        "A car longer than 5.5 metres pays the car fare and, for each half metre or part of it, one tenth more. "
        "Bicycles travel free, but a place must be reserved on sailings before 9:00."
    )
    flow.heading("6. Changes and refunds")
    flow.paragraph(
        "Tickets may be changed or given back at any pier office, by telephone or in the app. The time of the "
        "request decides, not the time at which it is dealt with."
    )
    flow.table(CHANGES, [1.4, 1, 1], caption="Table 3. Changes and refunds", ruled=False)
    flow.paragraph(
        "If Skerrow Line cancels a sailing, the whole fare is refunded within seven working days, or the ticket "
        "is valid on any sailing of the same route within the next thirty days, as the passenger chooses."
    )
    flow.heading("7. Peak sailings")
    flow.paragraph(
        "On the Fridays and Sundays of July and August a peak supplement of £4.50 is added to each car on route 1 "
        "and of £6.00 to each car on route 2. Holders of an islander card do not pay it."
    )
    return flow.finish("Passenger and Vehicle Fares 2026")


OPTIONS = [
    ["Option", "Capital £m", "Fuel saved", "Out of service"],
    ["A  New diesels", "2.1", "6 %", "5 weeks"],
    ["B  Battery hybrid", "4.6", "27 %", "11 weeks"],
    ["C  Full electric", "9.8", "100 %", "26 weeks"],
]


def study() -> bytes:
    """A study in two columns, with a table in one of them."""
    flow = Flow(
        Style(columns=2, body=11, margin=54, header="Skerrow Line   Engineering paper 17", footer="{page}")
    )
    flow.title(
        "A Hybrid Refit for MV Kittiwake",
        "I. Halvard and R. Menzies, Technical Department, November 2025",
    )
    flow.heading("Summary")
    flow.paragraph(
        "MV Kittiwake carries two thirds of all our passengers and burns 58 per cent of our fuel. Her two main "
        "engines reach the end of their economic life in 2028. We compare three ways to replace them and "
        "recommend option B, a battery hybrid with a pack of 1.8 MWh, to be fitted in the docking of "
        "January 2027."
    )
    flow.heading("1  The ship and her work")
    flow.paragraph(
        "Kittiwake was built in 1998 for 420 passengers and 62 cars. She makes five round trips a day on "
        "route 1, at 15.5 knots. A crossing takes 55 minutes, of which 41 are at "
        "full power; the rest is spent leaving the berth, passing the Ansel bar at reduced speed, and turning "
        "in Hessay harbour. Over the year 2024 she ran for 4,310 hours and burnt 1,264 tonnes of marine gas oil."
    )
    flow.paragraph(
        "The load on the engines changes quickly in harbour and hardly at all at sea. This is why a battery "
        "pays: it takes the peaks, and one diesel can be stopped for the first and last seven minutes of each "
        "crossing, where noise and smoke trouble the town most."
    )
    flow.heading("2  What we measured")
    flow.paragraph(
        "From March to August 2025 we logged shaft power, fuel flow and hotel load once a second. Mean shaft "
        "power at sea was 2,140 kW, the highest peak in harbour 2,890 kW, lasting eleven seconds. Hotel load, "
        "that is light, heating, galley and pumps, was 165 kW in summer and 240 kW in winter."
    )
    flow.paragraph(
        "Wind matters more than we had thought. With more than 25 knots on the beam, fuel for a crossing rose "
        "by 14 per cent, most of it through the bow thruster during berthing at Hessay. The new fender line at "
        "the Hessay pier, planned for 2026, should halve that."
    )
    flow.heading("3  The three options")
    flow.paragraph(
        "Table 1 sets out the options. Capital cost includes yard work, class approval and a reserve of ten "
        "per cent. Fuel saved is against the year 2024."
    )
    flow.table(OPTIONS, [1.5, 1.2, 0.85, 1.1], caption="Table 1. Options compared", ruled=False)
    flow.paragraph(
        "Option C would need a shore connection of 5 MW at both piers. The network company offers no more than "
        "1.2 MW at Hessay before 2031, and a battery on the pier to bridge the gap would cost another £3.4 million. "
        "We therefore do not pursue it now, but option B leaves the way open: the switchboard and the space for a "
        "second pack are part of the price."
    )
    flow.heading("4  Batteries and safety")
    flow.paragraph(
        "The pack stands in the former stores on deck 2, between frames 38 and 46, behind A-60 divisions. "
        "It is water-cooled, has its own gas extraction to the open deck, and is flooded with fresh water from "
        "a 6 cubic metre tank if a cell runs hot. The crew need a course of three days, and the muster list "
        "gains a battery party of two."
    )
    flow.paragraph(
        "Cells are warranted for ten years or 12,000 full cycles, whichever comes first. At the pattern of "
        "charging proposed, 3.1 full cycles a day, this means a little over ten years."
    )
    flow.heading("5  Money")
    flow.paragraph(
        "At a fuel price of £690 a tonne option B saves £235,000 a year, and a further £58,000 in maintenance. "
        "The Islands Transport Fund has offered a grant of £1.5 million if the contract is signed before "
        "30 September 2026. With the grant, option B pays for itself in 10.6 years; without it, in 15.7."
    )
    flow.heading("6  Time out of service")
    flow.paragraph(
        "Eleven weeks is long. MV Guillemot would take over route 1 with four round trips a day, and we would "
        "charter a vessel for route 2; the owners of MV Corrigan have quoted £8,400 a day with crew. January to "
        "mid March is the quietest time: only 9 per cent of the year's cars travel then."
    )
    flow.heading("7  Recommendation")
    flow.paragraph(
        "We ask the board to approve option B, to place the order for the pack by 1 May 2026 because of the "
        "eight months it takes to deliver, and to name the Brannock yard at Ferness as the place of work. "
        "A decision after that date moves the refit to January 2028."
    )
    return flow.finish("A Hybrid Refit for MV Kittiwake")


INSPECTIONS = [
    ["Item", "How often", "By whom", "Limit or test"],
    ["Lifejackets, adult", "Monthly", "Second mate", "None missing; lights in date"],
    ["Lifejackets, child", "Monthly", "Second mate", "At least 10 per cent of adult number"],
    ["Liferaft releases", "Yearly", "Approved station", "Serviced within 12 months"],
    [
        "Rescue boat engine",
        "Weekly",
        "Chief engineer",
        "Starts within 5 minutes; runs 3 minutes ahead and astern",
    ],
    ["Fire pump, main", "Weekly", "Chief engineer", "6 bar at the far hydrant"],
    ["Fire pump, emergency", "Weekly", "Chief engineer", "4 bar at the far hydrant"],
    ["Fire hoses", "Every 6 months", "Bosun", "Tested at 10 bar for 3 minutes"],
    ["CO2 bottles, engine room", "Every 2 years", "Approved station", "Content loss below 5 per cent"],
    ["Foam applicators", "Every 3 months", "Bosun", "Concentrate in date; 2 spare drums"],
    ["Bow door locks", "Before each sailing", "Mate on car deck", "Five green lamps on the bridge panel"],
    ["Bow door seals", "Monthly", "Bosun", "Hose test, no more than 2 litres in 10 minutes"],
    ["Emergency generator", "Weekly", "Electrician", "On load within 45 seconds"],
    ["Emergency lighting", "Monthly", "Electrician", "Burns 3 hours on battery"],
    ["Steering gear, emergency", "Every 3 months", "Master", "35 degrees to 30 degrees in 28 seconds"],
    ["Gas detectors, car deck", "Every 3 months", "Electrician", "Alarm at 20 per cent of the lower limit"],
    ["First aid boxes", "Monthly", "Purser", "Sealed; list signed"],
    ["Defibrillator", "Weekly", "Purser", "Green light; pads in date"],
]
STATIONS = [
    ["Station", "Place", "In charge", "People"],
    ["A", "Forward saloon, port", "Second mate", "105"],
    ["B", "Forward saloon, starboard", "Purser", "105"],
    ["C", "Cafeteria", "Chief steward", "140"],
    ["D", "Open deck aft", "Bosun", "70"],
]


def manual() -> bytes:
    """An A5 manual with running header and footer; a paragraph and a table go over a page."""
    flow = Flow(
        Style(
            size=A5,
            margin=44,
            body=11,
            header="Skerrow Line   Safety Management Manual   MV Kittiwake",
            footer="Issue 7, 1 February 2026   Page {page} of {pages}",
        )
    )
    flow.title("Safety Management Manual", "MV Kittiwake, issue 7. This copy replaces issue 6 of May 2023.")
    flow.heading("1  Policy")
    flow.paragraph(
        "Skerrow Line will not sail a ship that is not safe to sail. No timetable, no complaint and no manager can "
        "take that decision from the master. Whoever delays or cancels a sailing for the sake of safety has done "
        "right, even if it turns out afterwards that the ship could have gone."
    )
    flow.paragraph(
        "Everyone on board may stop a piece of work that looks dangerous. The work stays stopped until an officer "
        "has looked at it and said, in front of those who do it, why it may go on or what has to change first."
    )
    flow.heading("2  People and duties")
    flow.paragraph(
        "The designated person ashore is Marit Osk, telephone 0559 410 226, at any hour. She reports to the managing "
        "director and to nobody else, and she may be called past any superior."
    )
    flow.heading("2.1  Manning", level=2)
    flow.paragraph(
        "Kittiwake sails with no fewer than eleven crew: master, two mates, chief engineer, second engineer, "
        "electrician, bosun, two seamen, purser and chief steward. With more than 250 passengers two stewards are added. "
        "With fewer than eleven she stays at the berth."
    )
    flow.heading("2.2  Rest", level=2)
    flow.paragraph(
        "Each of the crew has at least ten hours of rest in any period of 24 hours, in no more than two parts, one of "
        "them at least six hours long, and at least 77 hours of rest in any seven days. The purser keeps the record of hours; "
        "the master signs it each Sunday. A drill that falls into someone's rest is made good with as much "
        "rest within the following two days, and is marked in the record with the letter D. If the record shows "
        "less rest than this, the person does not stand the next watch and the master reports the case to "
        "the designated person on the same day."
    )
    flow.heading("2.3  Joining the ship", level=2)
    flow.paragraph(
        "Nobody stands a watch before the second mate has shown them their muster station, both ways out of their "
        "cabin, the nearest call point and extinguisher, and the way to the steering gear. The round takes an hour, "
        "is done on the first day, and is entered on form SM-2 with the signatures of both. Contractors who stay for "
        "one crossing only get the short round of ten minutes and a red badge, and are never alone below deck 2."
    )
    flow.heading("2.4  Alcohol and medicines", level=2)
    flow.paragraph(
        "The limit for everyone on duty is nil. Tests are made at random on at least six days a month, and after "
        "every accident. Whoever takes a medicine that may cause drowsiness tells the purser, who asks the doctor "
        "ashore before the next watch. A positive test means leaving the ship at the next port on full pay until "
        "the case has been heard, which is to be within five working days."
    )
    flow.heading("3  Weather limits")
    flow.paragraph(
        "The limits below are for the forecast at the time of departure and for the whole of the crossing. Within "
        "them the master may still decide not to sail; beyond them nobody may decide to sail."
    )
    flow.items(
        [
            "Mean wind of more than 38 knots, or gusts of more than 50 knots: no sailing.",
            "Significant wave height at the Ansel buoy of more than 3.2 metres: no sailing.",
            "More than 2.4 metres from between south and west: no motorcycles, caravans or livestock trailers.",
            "Visibility under 500 metres in the Ansel channel: pilotage speed of 6 knots and a lookout on the bow.",
        ]
    )
    flow.heading("3.1  Who decides, and when", level=2)
    flow.paragraph(
        "The master and the traffic desk speak at 4:30, 10:30 and 16:30, after the coastal forecast. If a sailing is in "
        "doubt, the traffic desk sends the amber notice to everyone who has booked, and if it is cancelled the red notice; "
        "the aim is ninety minutes before departure. A master who decides later than that gives no reason at the time and "
        "writes it in the log afterwards. If a ship has to turn back, she goes to the port that is safest, not to the one "
        "where most passengers want to be, and the traffic desk sends buses. The lee berth at Sandwick bay may be used for "
        "up to twelve hours with the harbour master's consent; its depth at low water springs is 4.1 metres."
    )
    flow.heading("4  Loading the car deck")
    flow.paragraph(
        "The mate on the car deck is in charge of loading and wears the yellow helmet. Vehicles are parked with the "
        "handbrake on and in gear, with 60 centimetres between the lanes. Lorries of more than 12 tonnes are lashed with four "
        "chains in wind above 20 knots, other vehicles on the mate's word. Drivers leave the deck before the bow door closes, and nobody "
        "goes back to a vehicle until the ship is fast."
    )
    flow.heading("4.1  Dangerous goods", level=2)
    flow.paragraph(
        "Dangerous goods are carried on the first sailing on Tuesdays and Thursdays only, with no more than 36 "
        "passengers on board. The shipper's declaration must reach the traffic desk by 15:00 on the day before. Gas "
        "bottles for a caravan's own use, two at most and shut off, do not count as dangerous goods."
    )
    flow.heading("4.2  Electric vehicles", level=2)
    flow.paragraph(
        "Electric cars stand in lanes 2 and 5, where the deck sprinklers overlap. They are not charged on board. "
        "A car that has been in an accident is not carried until a garage has certified its battery."
    )
    flow.heading("5  Inspections")
    flow.paragraph(
        "Table 1 says what is inspected, how often and by whom. What fails is mended or taken out of use at "
        "once, written in the defect book, and told to the master before the next sailing."
    )
    flow.table(INSPECTIONS, [1.25, 0.95, 0.95, 1.7], caption="Table 1. Inspections")
    flow.heading("6  Emergencies")
    flow.paragraph(
        "The general alarm is seven short blasts and one long one on whistle and bells. All crew go to their stations "
        "with lifejackets; the engine room stays manned until the master releases it."
    )
    flow.heading("6.1  Muster stations", level=2)
    flow.table(STATIONS, [0.7, 1.9, 1.2, 0.7], caption="Table 2. Muster stations", ruled=False)
    flow.heading("6.2  Fire", level=2)
    flow.items(
        [
            "Press the nearest call point and shout where the fire is.",
            "Close doors and stop the fans of that space from panel F2 behind the bridge.",
            "Attack with two hoses if the party is complete; otherwise hold the boundary and cool it.",
            "Carbon dioxide goes into the engine room only on the master's order, after a count of heads. Wait "
            "two minutes from the warning to the release, and keep the space shut for at least four hours.",
        ],
        numbered=True,
    )
    flow.heading("6.3  Person overboard", level=2)
    flow.paragraph(
        "Throw the nearest lifebuoy, point at the person without a break, and call the bridge on channel 6. The bridge "
        "turns with the Williamson turn by night or in poor sight, and with a single turn otherwise. The rescue boat is in the "
        "water within five minutes of the call. In water colder than 10 degrees the person is lifted lying flat."
    )
    flow.heading("6.4  Medical help", level=2)
    flow.paragraph(
        "The purser is the first aider on duty. The duty doctor of Port Ansel hospital answers on 0559 410 900. "
        "A helicopter can lift from the open deck aft, between the yellow lines, in winds of up to 45 knots."
    )
    flow.heading("6.5  Loss of power", level=2)
    flow.paragraph(
        "If the main switchboard goes dead, the emergency generator takes over light, steering and radio. The bridge shows two "
        "red lights, sounds two long blasts every two minutes and calls the Ansel lifeboat on channel 16 if the ship will be within one "
        "mile of the shore in less than twenty minutes. The anchor party stands by: five shackles in less than 30 "
        "metres of water. No main engine is started again before the second engineer has found out why it stopped, except "
        "on the master's order with the ship in danger."
    )
    flow.heading("7  Drills")
    flow.paragraph(
        "A fire drill is held every week and an abandon-ship drill every two weeks, and each within 24 hours of "
        "sailing if more than a quarter of the crew has changed. The rescue boat is launched and manoeuvred at least once "
        "a month. Bow door failure and the blackout of the main switchboard are drilled every three months."
    )
    flow.heading("8  Reports and records")
    flow.paragraph(
        "Accidents, near misses and failures of equipment are reported to the designated person within twelve hours, "
        "with the form SM-4. Nobody is blamed for a near miss that was reported. Records are kept for five years, those of "
        "accidents to people for thirty."
    )
    flow.paragraph(
        "This manual is reviewed each January by the master, the designated person and an elected member of the crew. "
        "A change between issues is pasted in as a yellow sheet and signed by everyone on board within seven days."
    )
    return flow.finish("Safety Management Manual, MV Kittiwake")
