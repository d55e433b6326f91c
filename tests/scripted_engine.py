"""An engine for tests: it speaks GTP, plays what it is told to on its command line, and misbehaves where it is told to.

`--moves` lists what it does when it is asked for its first move of a game, its second, and so on; then it passes. Words
among them: `crash`, `hang`, `refuse`, `flood`, `resign`; anything else is answered as it stands. It runs as a script,
without the library, so that it starts at once.
"""

import argparse
import subprocess
import sys
import time

HANG_S = 300.0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--moves", default="")
    parser.add_argument("--banner", default="")  # written before the first answer
    parser.add_argument("--refuse", action="append", default=[])  # commands, as they are written
    parser.add_argument("--hang-at", default="")
    parser.add_argument("--crash-at", default="")
    parser.add_argument("--score", default="")
    parser.add_argument("--dead", default="")
    parser.add_argument("--log", default="")  # a file that takes every line that comes in
    parser.add_argument("--child", default="")  # a file that takes the number of a child process
    parser.add_argument("--deaf", action="store_true")  # reads nothing
    options = parser.parse_args()
    if options.child:
        child = subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({HANG_S})"])
        with open(options.child, "w") as file:
            file.write(str(child.pid))
    if options.deaf:
        time.sleep(HANG_S)
    print(options.banner, flush=True)
    moves = options.moves.split()
    number = 0
    for line in sys.stdin:
        command = line.strip()
        if options.log:
            with open(options.log, "a") as file:
                file.write(command + "\n")
        print(f"thinking about {command}", file=sys.stderr, flush=True)
        if command == options.crash_at:
            sys.exit(3)
        if command == options.hang_at:
            time.sleep(HANG_S)
        if command in options.refuse:
            answer("?", "I would rather not")
        elif command == "list_commands":
            answer("=", "final_score\nset_random_seed\ntime_settings\n")
        elif command == "clear_board":
            number = 0
            answer("=", "")
        elif command.startswith("genmove"):
            word = moves[number] if number < len(moves) else "pass"
            number += 1
            if word == "crash":
                print("out of stones", file=sys.stderr, flush=True)
                sys.exit(3)
            if word == "hang":
                time.sleep(HANG_S)
            while word == "flood":
                print("no answer " * 1000)
            answer("?", "no idea") if word == "refuse" else answer("=", word)
        elif command == "final_score":
            answer("=", options.score)
        elif command == "final_status_list dead":
            answer("=", options.dead)
        else:
            answer("=", "")
        if command == "quit":
            return


def answer(sign: str, text: str) -> None:
    """Write an answer, in the way of Windows."""
    print(f"{sign} {text.strip()}\r\n\r\n", end="", flush=True)


if __name__ == "__main__":
    main()
