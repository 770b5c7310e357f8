"""Two invented agents that have nothing in common, each with records and questions about them."""

_BAKERY_THINGS = (
    ("the rye sourdough", "rises eleven hours in the cold room"),
    ("the poppy seed roll", "sold out before eight on market day"),
    ("the stone oven", "needs its chimney swept in October"),
    ("the flour from Bruckner's mill", "comes in sacks of twenty kilos"),
    ("the apprentice Quentin", "burnt his thumb on the second tray"),
    ("the plum cake", "gets a pinch of cardamom since Petra's grandmother visited"),
    ("the delivery bicycle", "lost a pedal on the hospital hill"),
    ("the dough mixer", "howls in third gear and waits for a bearing"),
    ("the almond croissant", "won second prize at the county fair"),
    ("the shop window", "shows a gingerbread castle until Epiphany"),
    ("the yeast supplier", "raised its price by nine cents"),
    ("the Saturday queue", "reached the fountain for the first time"),
    ("the spelt loaf", "crumbles when the water is colder than twelve degrees"),
    ("the hotel at the lake", "orders ninety breakfast rolls for Sundays"),
    ("the till", "was short by four euros and ten cents"),
    ("the raisin bun", "is Petra's favourite and nobody else's"),
    ("the school canteen", "wants sesame rings without salt"),
    ("the proofing baskets", "are drying on the roof"),
    ("the wedding cake for the Lindqvists", "has four tiers and sugared violets"),
    ("the night shift", "starts at half past one from Monday on"),
)
_OBSERVATORY_THINGS = (
    ("the north dome", "sticks at forty degrees when it freezes"),
    ("the spectrograph", "drifted by two pixels during the campaign"),
    ("Ilse", "discovered a variable star in Lyra while calibrating"),
    ("the cryocooler", "uses a litre of helium more than it should"),
    ("the guide camera", "loses its star behind thin cirrus"),
    ("the comet K7", "brightened by a magnitude within two nights"),
    ("Ravi", "rewrote the flat field pipeline over the weekend"),
    ("the primary mirror", "was aluminised last in the spring of 2019"),
    ("the weather mast", "reported gusts of ninety kilometres an hour"),
    ("the radio interference at 1420 megahertz", "came from the ski lift"),
    ("the photometer", "saturates on anything brighter than Vega"),
    ("the visitor night", "brought two hundred people and one lost dachshund"),
    ("the archive server", "has room for eleven more months of exposures"),
    ("the exoplanet transit", "began four minutes later than predicted"),
    ("the dew heater", "blew the fuse of the whole east wing"),
    ("the asteroid survey", "covers six fields an hour in dark time"),
    ("the finder scope", "points a quarter of a degree too high"),
    ("the observing proposal on globular clusters", "got thirty hours"),
    ("the shutter", "hung open for the dawn flats"),
    ("the all-sky camera", "caught a bolide above the southern ridge"),
)
_BAKERY_FORMS = (
    "Bakery book: {thing} {what}.",
    "Petra told Quentin at the counter that {thing} {what}.",
    "For tomorrow's baking remember: {thing} {what}.",
    "Petra wrote on the pantry door that {thing} {what}, in chalk.",
)
_OBSERVATORY_FORMS = (
    "Observing log: {thing} {what}.",
    "Ilse reported to Ravi from the control room: {thing} {what}.",
    "Before the next clear night somebody should know that {thing} {what}.",
    "Ravi noted after the exposure that {thing} {what}.",
)

BAKERY = [form.format(thing=thing, what=what) for thing, what in _BAKERY_THINGS for form in _BAKERY_FORMS]
OBSERVATORY = [
    form.format(thing=thing, what=what) for thing, what in _OBSERVATORY_THINGS for form in _OBSERVATORY_FORMS
]

BAKERY_QUESTIONS = (
    "How long does the rye sourdough rise?",
    "When must the oven's chimney be swept?",
    "Where does the bakery's flour come from?",
    "How did Quentin hurt his thumb?",
    "Which spice does Petra put into the plum cake?",
    "What broke on the delivery bicycle?",
    "What did the almond croissant win?",
    "How many breakfast rolls does the hotel order?",
    "Which bun does Petra like best?",
    "How many tiers has the wedding cake?",
    "When does the night shift begin?",
    "What does the school canteen want to be baked?",
)
OBSERVATORY_QUESTIONS = (
    "At which temperature does the north dome get stuck?",
    "Who found a variable star in Lyra?",
    "How much helium does the cryocooler use?",
    "Why does the guide camera lose its star?",
    "How much did comet K7 brighten?",
    "What did Ravi rewrite over the weekend?",
    "When was the primary mirror aluminised?",
    "What caused the radio interference?",
    "When did the exoplanet transit begin?",
    "Which fuse did the dew heater blow?",
    "How many hours did the proposal on globular clusters get?",
    "What did the all-sky camera catch?",
)
