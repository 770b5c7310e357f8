"""The two demo texts shipped with the package: half a year of work log, in English and in Japanese.

Each entry of a work log becomes one memory record (source type ``User``, source id and name the author), each month
one episode record. The formats are those of `demo_worklog` and `demo_declarations`.
"""

from dataclasses import dataclass
from importlib import resources
from typing import Literal

from rensou_embedded.demo_declarations import DemoDeclaration, DemoScript, parse_declarations
from rensou_embedded.demo_worklog import DemoEntry, DemoEpisode, parse_worklog

DemoLanguage = Literal["en", "ja"]

DEMO_SOURCE_TYPE = "User"
"""The source type under which every entry is stored; its source id and name are the entry's author."""


@dataclass(frozen=True, slots=True)
class DemoCorpus:
    """One demo text with what it declares and what the demo asks of it.

    Positions in ``associations`` and ``script`` index ``entries``.
    """

    language: DemoLanguage
    team: str
    entries: tuple[DemoEntry, ...]
    episodes: tuple[DemoEpisode, ...]
    associations: tuple[DemoDeclaration, ...]
    script: DemoScript


def load_demo_corpus(language: DemoLanguage) -> DemoCorpus:
    """Read and parse the demo text of a language from the installed package.

    Raises:
        DemoFormatError: a shipped file breaks its format.
    """
    return parse_demo_corpus(
        language, _read_demo_file(f"worklog_{language}.md"), _read_demo_file(f"worklog_{language}.associations.json")
    )


def parse_demo_corpus(language: DemoLanguage, worklog: str, associations: str) -> DemoCorpus:
    """Parse the text of a work log and of its associations file; errors carry the names of the shipped files.

    Raises:
        DemoFormatError: either text breaks its format; the message names the line or the JSON path.
    """
    log = parse_worklog(worklog, f"worklog_{language}.md")
    declarations, script = parse_declarations(associations, f"worklog_{language}.associations.json", log.entries)
    return DemoCorpus(
        language=language,
        team=log.team,
        entries=log.entries,
        episodes=log.episodes,
        associations=declarations,
        script=script,
    )


def _read_demo_file(name: str) -> str:
    return resources.files("rensou_embedded").joinpath("demo_data", name).read_text("utf-8")
