"""Cycles added up from a compiled program's text, on programs small enough to add up by hand."""

import pytest

from experiments.tpu.cycles import Cost, cost_of
from experiments.tpu.schedule import read_schedule

TABLES = """HloModule jit_f, is_scheduled=true

FileNames
1 "/usr/src/miai/research/go/moves.py"
2 "/usr/src/miai/research/go/superko.py"

FunctionNames
1 "Go.place"
2 "push"

FileLocations
1 {file_name_id=1 function_name_id=1 line=10 end_line=10 column=2 end_column=81}
2 {file_name_id=2 function_name_id=2 line=20 end_line=20 column=2 end_column=81}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
7 {file_location_id=2 parent_frame_id=1}

"""


def estimate(cycles: int) -> str:
    """What the compiler writes behind an instruction that it has priced."""
    return f', backend_config={{"window_config":{{"estimated_cycles":"{cycles}","iteration_bounds":["1"]}}}}'


def kernel(name: str, cycles: int, operand: str = "%x", calls: str = "%fused", frame: int = 1) -> str:
    """A priced fusion."""
    return (
        f"  %{name} = s16[512]{{0:T(512)(128)(2,1)S(1)}} fusion({operand}), kind=kLoop, calls={calls}, "
        f'metadata={{op_name="jit(f)/add" stack_frame_id={frame}}}{estimate(cycles)}\n'
    )


FUSED = """%fused (p: s16[512]) -> s16[512] {
  %p = s16[512]{0:T(512)(128)(2,1)} parameter(0)
  ROOT %add.9 = s16[512]{0:T(512)(128)(2,1)} add(%p, %p), backend_config={"estimated_cycles":"999"}
}
"""
CARRY = "(s32[]{:T(128)}, s16[512]{0:T(512)(128)(2,1)S(1)}, s32[]{:T(128)})"


def computation(name: str, *lines: str, entry: bool = False) -> str:
    """A computation whose parameter is a loop's carry."""
    head = f"{'ENTRY ' if entry else ''}%{name} (arg: (s32[], s16[512], /*index=2*/s32[])) -> s16[512] {{\n"
    return head + "".join(lines) + "}\n"


def parameter() -> str:
    """The carry of a loop, or the program's argument."""
    return f"  %x = {CARRY} parameter(0)\n"


def loop(name: str, operation: str, carried: str = "%carried", body: str = "body", more: str = "") -> str:
    """A loop over `body` and its condition."""
    return (
        f"  %{name} = {CARRY} while({carried}), condition=%{body}_cond, body=%{body}, "
        f'metadata={{op_name="{operation}" stack_frame_id=7}}{more}\n'
    )


def counted_condition(body: str, bound: str = "%bound", direction: str = "LT") -> str:
    """counter < 64, where the counter is the carry's first entry."""
    return computation(
        f"{body}_cond",
        "  %bound = s32[]{:T(128)} constant(64)\n",
        parameter(),
        "  %counter = s32[]{:T(128)} get-tuple-element(%x), index=0\n",
        "  %last = s32[]{:T(128)} get-tuple-element(%x), index=2\n",
        f"  ROOT %test = pred[]{{:T(512)}} compare(%counter, {bound}), direction={direction}\n",
    )


def data_condition(body: str, cycles: int = 100) -> str:
    """A condition that asks the boards."""
    test = kernel("test", cycles).replace("  %test", "  ROOT %test", 1)
    return computation(f"{body}_cond", parameter(), test)


def carried(start: int = 0, last: int = 40) -> str:
    """The first carry of a loop: a counter, the boards, and a constant taken along."""
    return (
        f"  %start = s32[]{{:T(128)}} constant({start})\n  %copy.1 = s32[]{{:T(128)}} copy(%start)\n"
        f"  %end = s32[]{{:T(128)}} constant({last})\n"
        f"  %carried = {CARRY} tuple(%copy.1, %x, %end)\n"
    )


def cost(*parts: str, trips: tuple[int, ...] = (2,), batch: int = 512) -> Cost:
    """The cost of a program of these computations."""
    return cost_of(TABLES + FUSED + "\n".join(parts), trips, batch)


def test_the_estimates_of_the_schedule_are_added_and_those_inside_a_kernel_are_not() -> None:
    found = cost(computation("main", parameter(), kernel("a", 1826), kernel("b", 5020, "%a", frame=7), entry=True))
    assert found.cycles == 6846
    assert found.loops == ()
    assert found.unpriced == ()
    assert found.functions == (("research/go/superko.py push", 5020), ("research/go/moves.py place", 1826))


def test_only_what_the_entry_reaches_counts() -> None:
    unused = computation("unused", parameter(), kernel("c", 10**6))
    main = computation("main", parameter(), kernel("a", 7), entry=True)
    assert cost(unused, main).cycles == 7
    assert cost(main, unused).cycles == 7


def test_a_loop_over_data_counts_body_and_condition_as_often_as_one_says() -> None:
    body = computation("body", parameter(), kernel("a", 30))
    main = computation("main", parameter(), carried(), loop("w", "jit(f)/vmap()/while"), kernel("b", 1), entry=True)
    for trips in (0, 1, 2, 5):
        found = cost(body, data_condition("body"), main, trips=(trips,))
        assert found.cycles == 1 + trips * (30 + 100)
        (only,) = found.loops
        assert (only.num_trips, only.source, only.is_serial) == (trips, "assumed", False)
        assert (only.depth, only.cycles) == (0, trips * 130)
        assert only.function == "research/go/superko.py push"


def test_a_loop_can_have_trips_of_its_own_and_its_cycles_an_area() -> None:
    body = computation("body", parameter(), kernel("a", 30))
    main = computation("main", parameter(), carried(), loop("w", "jit(f)/vmap()/while"), entry=True)
    text = TABLES + FUSED + "\n".join((body, data_condition("body"), main))
    found = cost_of(text, (2,), 512, {"research/go/superko.py push": 7})
    assert found.loops[0].num_trips == 7
    assert cost_of(text, (2,), 512, {"research/go/superko.py pull": 7}).loops[0].num_trips == 2
    assert sum(found.areas.values()) == found.cycles
    assert found.areas["rules"] >= 7 * 30 > found.areas["network"] == 0


def test_annotated_trips_come_before_everything() -> None:
    note = ', backend_config={"known_trip_count":{"n":"9"},"known_init_step":{"init":"0","step":"1"}}'
    body = computation("body", parameter(), kernel("a", 30))
    main = computation("main", parameter(), carried(), loop("w", "jit(f)/while", more=note), entry=True)
    found = cost(body, counted_condition("body"), main)
    assert found.cycles == 9 * 30
    assert found.loops[0].source == "annotated"


@pytest.mark.parametrize(
    ("bound", "start", "last", "trips"), [("%bound", 0, 40, 64), ("%bound", 3, 40, 61), ("%last", 0, 40, 40)]
)
def test_a_counter_between_constants_is_counted_also_where_they_are_carried(
    bound: str, start: int, last: int, trips: int
) -> None:
    body = computation("body", parameter(), kernel("a", 30))
    main = computation("main", parameter(), carried(start, last), loop("w", "jit(f)/while"), entry=True)
    found = cost(body, counted_condition("body", bound), main)
    assert found.cycles == trips * 30
    assert found.loops[0].source == "counted"


def test_a_loop_that_does_not_count_up_to_its_bound_is_not_counted() -> None:
    body = computation("body", parameter(), kernel("a", 30))
    main = computation("main", parameter(), carried(), loop("w", "jit(f)/while"), entry=True)
    found = cost(body, counted_condition("body", direction="NE"), main, trips=(3,))
    assert (found.cycles, found.loops[0].source) == (90, "assumed")
    unknown_start = main.replace("constant(0)", "add(%x, %x)")
    found = cost(body, counted_condition("body"), unknown_start, trips=(3,))
    assert (found.cycles, found.loops[0].source) == (90, "assumed")


def test_trips_are_taken_by_depth_and_the_last_holds_deeper() -> None:
    inner = computation("inner", parameter(), kernel("a", 1))
    middle = computation("middle", parameter(), carried(), loop("w", "jit(f)/while/while", body="inner"))
    outer = computation("outer", parameter(), carried(), loop("w", "jit(f)/while", body="middle"))
    main = computation("main", parameter(), carried(), loop("w", "jit(f)/while", body="outer"), entry=True)
    conditions = [data_condition(name, cycles=0) for name in ("inner", "middle", "outer")]
    for trips, cycles in (((2,), 8), ((3, 5), 75), ((3, 5, 7), 105), ((3, 5, 7, 11), 105)):
        found = cost(inner, middle, outer, *conditions, main, trips=trips)
        assert found.cycles == cycles
        assert [entry.depth for entry in found.loops] == [0, 1, 2]
        assert [entry.cycles for entry in found.loops] == [cycles] * 3


def test_a_loop_made_of_a_scatter_is_serial_and_goes_through_the_batch() -> None:
    body = computation("body", parameter(), kernel("a", 30))
    main = computation("main", parameter(), carried(), loop("w", "jit(f)/vmap()/scatter"), entry=True)
    counted = cost(body, counted_condition("body"), main)
    assert (counted.cycles, counted.loops[0].is_serial, counted.loops[0].source) == (64 * 30, True, "counted")
    unread = cost(body, data_condition("body", cycles=0), main, batch=512)
    assert (unread.cycles, unread.loops[0].is_serial, unread.loops[0].source) == (512 * 30, True, "serial")


def test_of_a_conditional_the_dearest_branch_counts() -> None:
    branches = [computation(f"branch_{cycles}", parameter(), kernel("a", cycles)) for cycles in (10, 500, 20)]
    lines = (
        "  %c = (s16[512]{0}) conditional(%x, %x, %x, %x), branch_computations={%branch_10, %branch_500, %branch_20}\n"
    )
    assert cost(*branches, computation("main", parameter(), lines, entry=True)).cycles == 500
    two = "  %c = (s16[512]{0}) conditional(%x, %x, %x), true_computation=%branch_10, false_computation=%branch_20\n"
    assert cost(*branches, computation("main", parameter(), two, entry=True)).cycles == 20


def test_a_call_costs_what_it_calls() -> None:
    called = computation("called", parameter(), kernel("a", 12))
    line = "  %c = s16[512]{0} call(%x), to_apply=%called\n"
    assert cost(called, computation("main", parameter(), line, line.replace("%c =", "%d ="), entry=True)).cycles == 24


GATHER = """%fused_gather (p: s16[512,110], i: s32[512,5]) -> s16[512,5] {
  %p = s16[512,110]{1,0:T(8,128)(2,1)} parameter(0)
  %i = s32[512,5,2]{2,1,0:T(8,128)} parameter(1)
  %custom-call.3 = s32[512,5,2]{2,1,0:T(8,128)} custom-call(%i), custom_call_target="GatherScatterIndicesBitpacked"
  ROOT %g = s16[512,5]{1,0} gather(%p, %custom-call.3), offset_dims={}, index_vector_dim=2, slice_sizes={1,1}
}
"""
SCATTER = """%fused_scatter (p: u32[512,3,192], i: s32[512,2], u: u32[512,3]) -> u32[512,3,192] {
  %p = u32[512,3,192]{1,2,0} parameter(0)
  %i = s32[512,2]{1,0} parameter(1)
  %u = u32[512,3]{1,0} parameter(2)
  ROOT %s = u32[512,3,192]{1,2,0} scatter(%p, %i, %u), update_window_dims={1}, index_vector_dim=1, to_apply=%add
}
"""


def test_gathers_and_scatters_are_listed_with_their_indices_as_often_as_they_run() -> None:
    gather = "  %a = s16[512,5]{1,0} fusion(%x, %x), kind=kCustom, calls=%fused_gather\n"
    scatter = "  %b = u32[512,3,192]{1,2,0} fusion(%x, %x, %x), kind=kCustom, calls=%fused_scatter\n"
    body = computation("body", parameter(), gather)
    main = computation("main", parameter(), carried(), scatter, loop("w", "jit(f)/while"), entry=True)
    found = cost(GATHER, SCATTER, body, data_condition("body", 0), main, trips=(3,))
    assert found.cycles == 0
    assert [entry._asdict() for entry in found.unpriced] == [
        {"kind": "gather", "num_runs": 3, "num_indices": 3 * 2560, "num_bytes": 3 * 2560 * 2},
        {"kind": "scatter", "num_runs": 1, "num_indices": 512, "num_bytes": 512 * 3 * 192 * 4},
    ]
    assert found.priced_indices == (7680 * 9 + 512 * 77, 7680 * 18 + 512 * 115)


def test_whatever_else_has_no_estimate_is_listed_by_its_kind() -> None:
    found = cost(
        computation(
            "main",
            parameter(),
            "  %start = (f32[8]{0:S(1)}, f32[8]{0}, u32[]{:S(2)}) copy-start(%x)\n",
            "  %done = f32[8]{0:S(1)} copy-done(%start)\n",
            "  %sum = (f32[4]{0}, f32[2]{0}) all-reduce(%x, %x), replica_groups={}, to_apply=%add\n",
            '  %t = bf16[16]{0} custom-call(%x), custom_call_target="TopK"\n',
            '  %n = f32[33]{0} custom-call(), custom_call_target="AllocateBuffer"\n',
            "  %scalar = s32[]{:T(128)} add(%start, %start)\n",
            "  %empty = u32[3,0]{1,0} copy(%x)\n",
            "  %b = pred[64]{0} bitcast(%x)\n",
            entry=True,
        )
    )
    assert {(entry.kind, entry.num_runs, entry.num_bytes) for entry in found.unpriced} == {
        ("copy-start", 1, 32),
        ("all-reduce", 1, 16),
        ("custom-call TopK", 1, 32),
    }


def test_the_unpriced_of_a_conditional_are_those_of_its_dearest_branch() -> None:
    cheap = computation("cheap", parameter(), "  %s = f32[9]{0} sort(%x), dimensions={0}\n", kernel("a", 1))
    dear = computation("dear", parameter(), "  %s = f32[5]{0} reverse(%x), dimensions={0}\n", kernel("a", 2))
    line = "  %c = (s16[512]{0}) conditional(%x, %x, %x), branch_computations={%cheap, %dear}\n"
    found = cost(cheap, dear, computation("main", parameter(), line, entry=True))
    assert [entry.kind for entry in found.unpriced] == ["reverse"]


def test_text_that_is_no_program_is_refused() -> None:
    with pytest.raises(ValueError, match="no ENTRY computation"):
        read_schedule("HloModule nothing\n")
