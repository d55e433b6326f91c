"""The engine says what the protocol and its clients want, word for word: one transcript a subject.

The player is chance, which plays on every board and needs nothing compiled. `*` in a reply stands for anything.

*Source:* GTP version 2 draft 2; error texts and `loadsgf` as GNU Go 3.8 answers; start-up sequences and formats as
GoGui, Sabaki, Lizzie, gtp2ogs, kgsGtp and the CGOS client send and read them; public bug reports named where used.
"""

import json
from pathlib import Path

import pytest
from gtp_talk import ask, check, random_session, send

from research.evaluation.gtp_engine import ANALYZE_COMMANDS, COMMANDS
from research.evaluation.gtp_session import Session
from research.interop import sgf

WANTED_COMMANDS = """protocol_version name version known_command list_commands quit boardsize clear_board komi play
genmove undo showboard fixed_handicap place_free_handicap set_free_handicap time_settings time_left kgs-time_settings
final_score final_status_list loadsgf printsgf reg_genmove get_komi lz-analyze kata-analyze analyze lz-genmove_analyze
kata-genmove_analyze genmove_analyze kata-get-rules kata-set-rules kgs-rules kgs-genmove_cleanup kgs-game_over
gogui-analyze_commands gogui-play_sequence gogui-setup gogui-setup_player gogui-interrupt gg-undo cputime
gomill-cpu_time gomill-explain_last_move gomill-describe_engine cgos-genmove_analyze stop rectangular_boardsize
kata-raw-nn clear_cache"""

TRANSCRIPTS = {
    "administration": """
> protocol_version
= 2
> 17 name
=17 Miai random
> version
= 0.20
> known_command loadsgf
= true
> known_command load_sgf
= false
> known_command
= false
> 3 load_sgf x
?3 unknown command
> Name
? unknown command
> kgs-game_over
=
> cputime
= *.*
""",
    "sizes": """
> boardsize 7
=
> play b g7
=
> boardsize x
? boardsize not an integer
> boardsize
? boardsize not an integer
> boardsize 25
? unacceptable size
> boardsize 1
? unacceptable size
> boardsize -9
? unacceptable size
> boardsize 9 13
? unacceptable size
> rectangular_boardsize 9:13
? unacceptable size
> play b g7
? illegal move
> boardsize 7
=
> play b g7
=
> boardsize 5 5
=
> play b g7
? invalid color or coordinate
> rectangular_boardsize 2 2
=
> boardsize 19
=
> play w t19
=
""",
    "komi": """
> komi 6.5
=
> get_komi
= 6.5
> play b c3
=
> komi -7
=
> play b c3
? illegal move
> clear_board
=
> get_komi
= -7.0
> boardsize 5
=
> get_komi
= -7.0
> komi x
? komi not a float
> komi
? komi not a float
> komi nan
? komi not a float
> komi 6.4
? unacceptable komi
> komi 1e9
? unacceptable komi
> get_komi
= -7.0
""",
    "moves": """
> boardsize 5
=
> play B C3
=
> play white d4
=
> play w PASS
=
> play w a1
=
> play b c3
? illegal move
> play b i3
? invalid color or coordinate
> play b z9
? invalid color or coordinate
> play b f1
? invalid color or coordinate
> play x c3
? invalid color or coordinate
> play b
? invalid color or coordinate
> play
? invalid color or coordinate
> genmove x
? invalid color
> genmove
? invalid color
> reg_genmove
? invalid color
> showboard
= MoveNum: 4 HASH: *
   A B C D E
 5 . . . . .
 4 . . . O1.
 3 . . X . .
 2 . . . . .
 1 O3. . . .
Next player: Black
Rules: {"friendlyPassOk":false,"hasButton":false,"ko":"POSITIONAL","komi":7.5,"scoring":"AREA",*}
B stones captured: 0
W stones captured: 0
""",
    "an illegal ko changes nothing": """
> boardsize 5
=
> gogui-play_sequence b b2 w c2 b a3 w d3 b b4 w c4 b c3 w b3
=
> play b c3
? illegal move
> showboard
= MoveNum: 8 HASH: *
   A B C D E
 5 . . . . .
 4 . X O1. .
 3 X O3. O .
 2 . X O . .
 1 . . . . .
Next player: Black
Rules: *
B stones captured: 1
W stones captured: 0
> undo
=
> play b b3
=
> undo
=
> play w b3
=
> play b e5
=
> play w e1
=
> play b c3
=
""",
    "undo": """
> boardsize 5
=
> undo
? cannot undo
> gg-undo
? cannot undo
> gogui-play_sequence b a2 w a1 b b1
=
> gg-undo 4
? cannot undo
> gg-undo -1
? cannot undo
> undo
=
> play b b1
=
> gg-undo 2
=
> play w b1
=
> undo
=
> undo
=
> undo
? cannot undo
> fixed_handicap 2
? invalid handicap
> boardsize 9
=
> fixed_handicap 2
= G7 C3
> undo
? cannot undo
""",
    "a sequence is played whole or not at all": """
> boardsize 5
=
> play b a1
=
> gogui-play_sequence w b1 b c1 w b1
? illegal move
> gogui-play_sequence w b1 b
? invalid color or coordinate
> gg-undo 2
? cannot undo
> gogui-play_sequence
=
> play w b1
=
""",
    "handicap": """
> fixed_handicap 10
? invalid handicap
> fixed_handicap 1
? invalid handicap
> fixed_handicap x
? handicap not an integer
> fixed_handicap 5
= C7 G7 E5 C3 G3
> fixed_handicap 2
? board not empty
> place_free_handicap 2
? board not empty
> set_free_handicap a1 a2
? board not empty
> play w e5
? illegal move
> clear_board
=
> set_free_handicap a1
? invalid handicap
> set_free_handicap
? invalid handicap
> set_free_handicap a1 a1
? repeated vertex
> set_free_handicap a1 pass
? invalid coordinate
> set_free_handicap a1 z1
? invalid coordinate
> set_free_handicap a1 B2 c3
=
> play w c3
? illegal move
> boardsize 19
=
> fixed_handicap 9
= D16 K16 Q16 D10 K10 Q10 D4 K4 Q4
> boardsize 8
=
> fixed_handicap 5
? invalid handicap
> fixed_handicap 4
= C6 F6 C3 F3
> boardsize 3
=
> place_free_handicap 1
? invalid handicap
> place_free_handicap 9
? invalid handicap
> place_free_handicap 8
= *
> genmove w
= *
""",
    "set-up": """
> boardsize 5
=
> gogui-setup b a1 w b1 b a1
=
> gogui-setup_player w
=
> printsgf
= (;*AB[ae]AW[be]PL[W])
> gogui-setup w a1 b a2 b b1
? a chain has no liberty
> gogui-setup b pass
? invalid color or coordinate
> gogui-setup_player
? invalid color
> play b c3
=
> gogui-setup_player b
=
> genmove b
= *
""",
    "scores": """
> boardsize 5
=
> komi 3.5
=
> final_score
= W+3.5
> final_status_list dead
=
> play b c3
=
> final_score
= B+21.5
> komi 25
=
> final_score
= 0
> final_status_list alive
= C3
> final_status_list seki
=
> final_status_list foo
? invalid status
> final_status_list
? missing status
> kata-set-rules chinese
=
> clear_board
=
> set_free_handicap a1 e5
=
> komi 1
=
> final_score
= B+22
> kgs-rules aga
=
> final_score
= B+23
""",
    "territory": """
> boardsize 5
=
> kata-set-rules japanese
=
> komi 0
=
> gogui-setup b b1 b b2 b b3 b b4 b b5 b a3 w a5
=
> final_status_list dead
= A5
> final_status_list alive
= B5 B4 A3 B3 B2 B1
> final_score
= B+20
> play b a4
=
> final_status_list dead
=
> final_score
= B+19
""",
    "no result": """
> boardsize 4
=
> kata-set-rules {"ko": "SIMPLE"}
=
> gogui-setup w a2 w b2 w c1
=
> gogui-play_sequence b a1 b b1 b a1 b b1 b a1 b b1
=
> final_score
= Void
> printsgf
= (;*RE[Void]*
;B[ad]
;B[bd]
;B[ad]
;B[bd]
;B[ad]
;B[bd])
> gg-undo 2
=
> final_score
= W+23.5
""",
    "rules": """
> kgs-rules ing
? Unknown rules 'ing'
> kata-set-rules
? Unknown rules ''
> kata-set-rules aga-button
? Unknown rules 'aga-button'
> kata-set-rules {"ko"
? Could not parse rules: no JSON
> kata-set-rules {"hasButton":true}
? Could not parse rules: the button is not played here
> kata-set-rules {"ko":"SPIGHT"}
? Could not parse rules: ko is SPIGHT, allowed is SIMPLE, POSITIONAL, SITUATIONAL
> kata-set-rules {"suicide":"yes"}
? Could not parse rules: suicide is 'yes', allowed is true or false
> kata-set-rules {"colour":1}
? Could not parse rules: unknown field 'colour'
> kata-set-rules {"ko":"situational", "scoring":"TERRITORY"}
=
> kata-get-rules
= {"friendlyPassOk":false,"hasButton":false,"ko":"SITUATIONAL","scoring":"TERRITORY","suicide":true,"tax":"SEKI",*}
> get_komi
= 7.5
""",
    "time": """
> time_settings 1
? not three integers
> time_settings 1 2 -3
? not three integers
> time_settings 300 30 5
=
> time_left b 10 0
=
> time_left white 10 3
=
> time_left b
? time and stones not two integers
> time_left x 1 1
? invalid color
> time_left b 12.5 0
=
> kgs-time_settings none
=
> kgs-time_settings absolute 300
=
> kgs-time_settings byoyomi 300 30 5
=
> kgs-time_settings canadian 300 300 25
=
> kgs-time_settings byoyomi 300
? syntax error
> kgs-time_settings
? syntax error
> time_settings 0 0 0
=
> genmove b
= *
""",
    "records": """
> loadsgf
? missing filename
> loadsgf nothing here.sgf
? cannot open or parse 'nothing here.sgf'
> printsgf /no/such/folder/file.sgf
? cannot write '/no/such/folder/file.sgf'
> boardsize 9
=
> kata-set-rules japanese
=
> play b c3
=
> play w c6
=
> play b pass
=
> printsgf -
= (;FF[4]GM[1]CA[UTF-8]SZ[9]KM[7.5]HA[0]RU[ko simple, scoring territory, tax seki, suicide no]
;B[cg]
;W[cd]
;B[])
""",
    "analysis": """
> 5 lz-analyze b 10
=5
info move * visits 1 winrate 5000 prior * lcb * order 0 pv *
> lz-analyze b 10
=
info move * visits 1 winrate 5000 prior * lcb * order 0 pv *
> 6 kata-analyze 10
=6
info move * visits 1 edgeVisits 1 utility * winrate 0.500000 prior * lcb * utilityLcb * weight 1 order 0 pv *
> analyze b interval 10 maxmoves 1 ownership true avoid b c3,pass 5
=
info move * order 0 pv *
> kata-analyze w 10 allow w e5 1
=
info move E5 * pv E5
> kata-analyze b 10 minmoves 2 maxmoves 2
=
info move * order 0 pv * info move * order 1 pv *
> analyze b interval
? syntax error
> analyze b avoid b z9 1
? invalid coordinate
> 8 lz-genmove_analyze b 5
=8
info move * winrate 5000 * pv *
play *
> cgos-genmove_analyze w 5
=
info move * winrate 0.500000 * pv *
play *
> stop
=
> gg-undo 2
=
> undo
? cannot undo
""",
    "gogui": """
> gogui-interrupt
=
> boardsize 2
=
> miai-policy
= A2 20 B2 20 A1 20 B1 20
> miai-value w
= white 0.5000
> gomill-explain_last_move
= no move yet
> kata-raw-nn 0
= symmetry 0
whiteWin 0.500000
whiteLoss 0.500000
noResult 0.000000
policy
0.200000 0.200000
0.200000 0.200000
policyPass 0.200000
""",
}


@pytest.mark.parametrize("subject", TRANSCRIPTS)
def test_replies_are_those_of_the_transcript(subject: str) -> None:
    check(random_session(), TRANSCRIPTS[subject])


def test_every_command_that_clients_look_for_is_there_and_listed_one_a_line() -> None:
    listed = ask(random_session(), "list_commands").removeprefix("= ").split("\n")
    assert set(WANTED_COMMANDS.split()) <= set(listed)
    assert listed == list(COMMANDS)
    for line in ANALYZE_COMMANDS:
        kind, _, command = line.split("/")
        assert kind in ("dboard", "gfx", "pspairs", "string", "varc", "plist", "hstring")
        assert command.split()[0] in listed


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_no_command_fails_without_a_reason_whatever_its_arguments(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)  # some write files
    for arguments in ("", "b", "x y z", "-1", "b c3 b c3", "99999999999999999999", "b 1 1", "[ ] \\ %", "é"):
        session = random_session(3)
        (reply,) = send(session, f"4 {command} {arguments}\n")
        assert reply.startswith(("=4", "?4")), reply
        assert "internal error" not in reply
        if command != "quit":
            assert ask(session, "protocol_version") == "= 2"


def test_lines_sent_together_are_answered_in_order_and_comments_not_at_all() -> None:
    lines = (
        "\n# a comment\n1 name\r\n2 protocol_version # that too\n\x07\t3\tboardsize\t9\n# interrupt\n4 quit\n5 name\n"
    )
    assert send(random_session(), lines) == ["=1 Miai random", "=2 2", "=3", "=4"]


def test_an_analysis_ends_with_the_next_line_which_is_then_answered() -> None:
    replies = send(random_session(), "1 lz-analyze b 5\n2 name\n3 kata-analyze w 5\n# interrupt\n4 quit\n")
    assert [reply.split("\n")[0] for reply in replies] == ["=1", "=2 Miai random", "=3", "=4"]


@pytest.mark.parametrize("size", range(2, 20))
def test_one_engine_plays_on_every_size(size: int) -> None:
    replies = send(random_session(), f"clear_board\nboardsize {size}\ngenmove b\ngenmove w\nshowboard\n")
    assert all(reply.startswith("=") for reply in replies)
    assert replies[-1].count("\n") == size + 5


def test_a_colour_may_move_twice() -> None:
    session = random_session(5)
    send(session, "play b d4\n")
    vertex = ask(session, "genmove b").removeprefix("= ")
    assert vertex == "pass" or (session.game.stones() == 1).sum() == 2
    assert session.game.record.moves[-1][0] == "black"


def test_a_position_built_in_reading_order_is_never_refused() -> None:
    rows = ["XO..O", "XXOOO", "OXXXO", "O.XOO", "OOXO."]
    session = random_session(5)
    for row, line in enumerate(rows):
        for column, stone in enumerate(line):
            if stone != ".":
                colour = "b" if stone == "X" else "w"
                assert ask(session, f"play {colour} {'ABCDE'[column]}{5 - row}") == "="
    assert ["".join(".XO"[stone] for stone in line) for line in session.game.stones()] == rows
    assert ask(session, "genmove b").startswith("=")


@pytest.mark.parametrize("rules", ["tromp-taylor", "chinese", "japanese", "stone-scoring"])
def test_score_and_dead_stones_are_one_judgement_before_and_after_the_passes(rules: str) -> None:
    session = random_session(5)
    send(session, f"kata-set-rules {rules}\nkomi 0\ngogui-setup b b1 b b2 b b3 b b4 b b5 b a3 w a5 w e3\n")
    questions = "final_score\nfinal_status_list dead\nfinal_status_list alive\nfinal_status_list seki\n"
    before = send(session, questions)
    send(session, "play b pass\nplay w pass\n")
    assert send(session, questions) == before == send(session, questions)
    counted = [vertex for reply in before[1:] for vertex in reply.removeprefix("=").split()]
    assert sorted(counted) == ["A3", "A5", "B1", "B2", "B3", "B4", "B5", "E3"]  # one status each


def test_nobody_passes_while_dead_stones_are_to_be_taken_off() -> None:
    session = random_session(3)
    send(session, "kata-set-rules japanese\ngogui-setup b a2 b b2 b c2 w a1 b b3\n")
    assert ask(session, "final_status_list dead") == "= A1"
    for _ in range(3):
        assert ask(session, "kgs-genmove_cleanup b") != "= pass"
        if session.game.captured["white"]:
            break
        send(session, "undo\n")
    send(session, "gogui-setup b a2 b b2 b c2\n")
    answers = set()
    for _ in range(60):
        answers.add(ask(session, "kgs-genmove_cleanup b"))
        send(session, "undo\n")
    assert "= pass" in answers


def test_a_record_is_loaded_up_to_just_before_a_move(tmp_path: Path) -> None:
    path = tmp_path / "a game.sgf"
    path.write_text("(;SZ[5]KM[3.5];B[cc];W[cb];B[];W[dd];AW[ee]AB[aa];B[ab])")
    session = random_session(9)
    check(session, f"> loadsgf {path} 3\n= black\n> get_komi\n= 3.5\n> gg-undo 3\n? cannot undo\n> gg-undo 2\n=\n")
    assert ask(session, f"loadsgf {path} 1") == "= black"
    assert session.game.is_empty
    assert session.size == 5
    assert ask(session, f"loadsgf {path} 4") == "= white"
    assert ask(session, f"loadsgf {path} D2") == "= white"
    assert session.game.num_moves == 3
    assert ask(session, f"loadsgf {path}") == "= white"
    assert (session.game.stones() > 0).sum() == 6
    assert ask(session, f"loadsgf {path} 999") == "= white"


def test_what_a_record_cannot_be_loaded_for_changes_nothing(tmp_path: Path) -> None:
    illegal, wide, broken = tmp_path / "illegal.sgf", tmp_path / "wide.sgf", tmp_path / "broken.sgf"
    illegal.write_text("(;SZ[5];B[aa];W[bb];B[aa])")
    wide.write_text("(;SZ[5:7];B[aa])")
    broken.write_bytes(b"\x00\x01 no game")
    session = random_session(9)
    send(session, "play b e5\n")
    assert ask(session, f"loadsgf {illegal}") == f"? cannot open or parse '{illegal}': move 3 is illegal"
    assert ask(session, f"loadsgf {wide}") == "? unacceptable size"
    assert ask(session, f"loadsgf {broken}") == f"? cannot open or parse '{broken}'"
    assert ask(session, f"loadsgf {tmp_path}").startswith("? cannot open or parse")
    assert (session.size, session.game.num_moves) == (9, 1)
    assert ask(session, f"loadsgf {illegal} 3") == "= black"


def test_a_record_that_repeats_positions_is_loaded_under_superko(tmp_path: Path) -> None:
    path = tmp_path / "cycle.sgf"
    stones = "AW[ac][bc][cd]"
    path.write_text(f"(;SZ[4]RU[New Zealand]{stones}" + ";B[ad];B[bd]" * 3 + ")")
    session = random_session()
    assert ask(session, f"loadsgf {path}") == "= white"
    assert session.game.num_moves == 6
    assert ask(session, "genmove b").startswith("=")


def test_what_is_printed_is_loaded_again(tmp_path: Path) -> None:
    session, path = random_session(7), tmp_path / "game.sgf"
    send(session, "fixed_handicap 3\nkomi 0.5\n" + "genmove w\ngenmove b\n" * 5 + f"printsgf {path}\n")
    (record,) = sgf.load(path)
    assert (record.size, record.komi, record.handicap, record.moves) == (7, 0.5, 3, session.game.record.moves)
    board, other = session.game.stones(), random_session(9)
    assert ask(other, f"loadsgf {path}") == "= white"
    assert (other.game.stones() == board).all()
    assert ask(other, "printsgf") == ask(session, "printsgf")


def test_a_hopeless_game_is_resigned_but_not_at_once() -> None:
    session = random_session(4, resign_below=0.6, resign_after=0.5)  # chance thinks that every game is even
    answers = [ask(session, f"genmove {colour}") for colour in "bw" * 5]
    assert "= resign" not in answers[:8]
    assert answers[8:] == ["= resign", "= resign"]
    assert session.game.num_moves == 8
    assert ask(random_session(4), "genmove b") != "= resign"
    with pytest.raises(ValueError, match=r"^resign_below is 2\.0; allowed: 0 to 1$"):
        random_session(resign_below=2.0)


def test_rules_are_katagos_word_for_word() -> None:
    cases = json.loads((Path(__file__).parents[1] / "data" / "katago" / "gtp.json").read_text())
    for case in cases:
        session = random_session(19)
        for command, reply in case["exchange"]:
            if case["id"] == "gtp/rules":
                assert ask(session, command) == reply
            else:
                assert meaning(ask(session, command)) == meaning(reply), command


def meaning(reply: str) -> object:
    """A reply without what may differ: spelling of vertices and boards, the words of an error."""
    if reply.startswith("?"):
        return "?"
    lines = reply.removeprefix("=").strip().split("\n")
    rules = [json.loads(line.removeprefix("Rules: ")) for line in lines if line.startswith("Rules: ")]
    if not rules:
        return sorted(reply.removeprefix("=").split())
    board = [[cell for cell in line if cell in ".XO"] for line in lines if line.strip()[:1].isdigit()]
    return board, rules, [line for line in lines if line.startswith(("Next", "B stones", "W stones"))]


def test_a_fault_of_ours_is_answered_and_the_game_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(session: Session, arguments: tuple[str, ...]) -> str:
        raise ZeroDivisionError

    monkeypatch.setitem(COMMANDS, "stop", broken)
    replies = send(random_session(), "1 stop\n2 protocol_version\n", has_fault=True)
    assert replies == ["?1 internal error", "=2 2"]
