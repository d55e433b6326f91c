"""What KataGo's networks say, number by number, beside what KataGo printed, and what masks and symmetries leave alone.

The positions come as planes and globals (tests/data/katago/evaluations.json and raw_nn_positions.json, drawn by
`katago22`, which its own tests check), so that nothing but the networks is compiled here. The way from the board is
walked by test_katago_positions.py and tests/evaluation/test_katago_thinker.py.

*Source:* KataGo's own test results and what its `kata-raw-nn` printed; see tests/data/README.md.
"""

import json
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from networks.katago_networks import B6, FOLDER, NAMES, loaded, made_up

from research.go.symmetry import FROM_KATAGO, NUM_SYMMETRIES, inverse, transform_planes
from research.networks.katago import (
    Evaluation,
    Inputs,
    KataGoNetwork,
    describe,
    evaluate,
    evaluate_average,
    turned_round,
)
from research.networks.katago.design import DESIGNS
from research.networks.katago.modules import RawOutputs
from research.networks.katago.outputs import policy_logits, read_outputs

SIDE = 19
BATCH = 40  # positions at once: all that the small networks are asked
Case = dict[str, Any]

TOLERANCES = {"win": 1e-3, "policy": 1e-3, "ownership": 2e-3, "lead": 0.02}
RAW_TOLERANCE = 1e-3


def load(name: str) -> list[Case]:
    """The cases of tests/data/katago/`name`.json."""
    return json.loads((FOLDER.parent / f"{name}.json").read_text())


CASES = load("evaluations")
POSITIONS = {case["id"]: case for case in load("raw_nn_positions")}
PRINTED = load("raw_nn")
SMALL = [case for case in PRINTED if case["network"] in NAMES]
LARGE = [case for case in PRINTED if case["network"] not in NAMES]


def inputs_of(case: Case, side: int = SIDE) -> Inputs:
    """The case as a batch of one."""
    size = case["size"]
    planes = np.zeros((1, side, side, 22), bool)
    planes[0, :size, :size, 0] = True
    for number, rows in case["planes"].items():
        planes[0, :size, :size, int(number)] = [[cell == "1" for cell in row] for row in rows]
    legal = np.zeros((side, side), bool)
    legal[:size, :size] = [[cell == "1" for cell in row] for row in case["legal"]]
    return Inputs(
        planes=jnp.asarray(planes),
        global_inputs=jnp.asarray([case["globals"]], jnp.float32),
        legal=jnp.asarray([[*legal.ravel(), True]]),
        may_be_void=jnp.asarray([case["ko"] == "simple"]),
    )


class Asked(NamedTuple):
    """One question to a network: what is compiled is asked all of them at once."""

    case: str  # its id
    number: int  # the symmetry, in research.go's order
    inputs: Inputs


def questions(name: str) -> list[Asked]:
    """All that the tests ask this network."""
    cases = [case for case in CASES if case["network"] == name]
    cases += [POSITIONS[case["id"]] for case in PRINTED if case["network"] == name]
    asked = []
    for case in cases:
        numbers = range(NUM_SYMMETRIES) if case["symmetry"] == "all" else (FROM_KATAGO[case["symmetry"]],)
        asked += [Asked(case["id"], number, inputs_of(case)) for number in numbers]
    return asked


@cache
def answers(name: str) -> dict[tuple[str, int], tuple[RawOutputs, Evaluation]]:
    """(raw outputs, evaluation) by case and symmetry, one program for all; raw outputs lie as the network saw them."""
    asked, network = questions(name), KataGoNetwork(loaded(name).description)

    def ask(variables: Any, inputs: Inputs, numbers: Any) -> tuple[RawOutputs, Evaluation]:
        planes = jax.vmap(transform_planes)(inputs.planes, numbers)
        raw = network.apply(variables, planes, inputs.global_inputs)
        return raw, evaluate(network, variables, inputs, numbers)

    found = {}
    for start in range(0, len(asked), BATCH):
        chosen = asked[start : start + BATCH]
        filled = chosen + chosen[:1] * (min(BATCH, len(asked)) - len(chosen))
        inputs = jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *(question.inputs for question in filled))
        outputs = jax.jit(ask)(loaded(name).variables, inputs, jnp.array([question.number for question in filled]))
        outputs = jax.device_get(outputs)
        for place, question in enumerate(chosen):
            found[question.case, question.number] = jax.tree.map(lambda leaf, place=place: leaf[place], outputs)
    return found


def evaluation_of(case: Case, network: str) -> Evaluation:
    """What the network says for White; the mean of all symmetries where the case asks for all."""
    numbers = range(NUM_SYMMETRIES) if case["symmetry"] == "all" else (FROM_KATAGO[case["symmetry"]],)
    found = [answers(network)[case["id"], number][1] for number in numbers]
    mean = jax.tree.map(lambda *leaves: np.mean(np.stack(leaves), axis=0), *found)
    return turned_round(mean) if case["to_play"] == "black" else mean


def differences(white: Evaluation, expected: Case, size: int) -> dict[str, float]:
    """How far the evaluation is from each printed number."""
    deviation = np.sqrt(max(0.0, white.score_mean_square - white.score_mean**2))
    found = {
        "whiteWin": white.win,
        "whiteLoss": white.loss,
        "noResult": white.no_result,
        "lead": white.lead,
        "whiteLead": white.lead,
        "scoreMean": white.score_mean,
        "whiteScoreSelfplay": white.score_mean,
        "scoreMeanSq": white.score_mean_square,
        "whiteScoreSelfplaySq": white.score_mean_square,
        "varTimeLeft": white.variance_time,
        "stWinloss": white.short_term_win_error,
        "shorttermWinlossError": white.short_term_win_error,
        "stScore": white.short_term_score_error,
        "shorttermScoreError": white.short_term_score_error,
        "winrate_black": white.loss + 0.5 * white.no_result,
        "lead_black": -white.lead,
        "scoreSelfplay_black": -white.score_mean,
        "scoreSelfplayStdev": deviation,
        "passProb": white.policy[-1],
        "policyPass": white.policy[-1],
    }
    maps = {
        "policy": white.policy[:-1].reshape(SIDE, SIDE)[:size, :size],
        "own": white.ownership[:size, :size],
        "whiteOwnership": white.ownership[:size, :size],
    }
    far = {key: abs(float(found[key]) - expected[key]) for key in found if key in expected}
    for key in maps:
        if key in expected:
            wanted = np.array([[np.nan if cell is None else cell for cell in row] for row in expected[key]], float)
            far[key] = float(np.nanmax(np.abs(maps[key] - wanted)))
            if key == "policy":
                np.testing.assert_array_equal(maps[key] == 0, np.isnan(wanted))
    assert set(expected) <= {*far, "symmetry"}, "some number is not compared"
    return far


def tolerance(key: str, of_case: dict[str, float]) -> float:
    """How far a printed number of that name may be away."""
    if key in of_case:
        return of_case[key]
    kinds = {"policy": "policy", "passProb": "policy", "policyPass": "policy", "own": "ownership"}
    kinds |= {"whiteOwnership": "ownership", "noResult": "win", "winrate_black": "win"}
    if key in ("whiteWin", "whiteLoss"):
        return TOLERANCES["win"]
    if "Sq" in key:
        return 0.1
    return TOLERANCES[kinds[key]] if key in kinds else TOLERANCES["lead"]


def assert_as_printed(case: Case, expected: Case, network: str, of_case: dict[str, float]) -> None:
    far = differences(evaluation_of(case, network), expected, case["size"])
    wrong = {key: gap for key, gap in far.items() if gap > tolerance(key, of_case)}
    assert not wrong, f"{case['id']}: {wrong}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"].split("/")[1])
def test_evaluations_are_what_katago_printed(case: Case) -> None:
    assert_as_printed(case, case["expected"], case["network"], case["tolerance"])


@pytest.mark.parametrize("case", SMALL, ids=lambda case: case["id"])
def test_raw_evaluations_are_what_katagos_gtp_engine_printed(case: Case) -> None:
    assert_as_printed(POSITIONS[case["id"]], case["expected"], case["network"], {})


@pytest.mark.slow
@pytest.mark.parametrize("case", LARGE, ids=lambda case: f"{case['network'].split('-')[1]}-{case['id']}")
def test_larger_networks_say_what_katago_printed(case: Case) -> None:
    assert_as_printed(POSITIONS[case["id"]], case["expected"], case["network"], {})


@pytest.mark.parametrize("case", [case for case in CASES if "raw" in case], ids=lambda case: case["id"].split("/")[1])
def test_raw_outputs_are_those_of_an_independent_reading(case: Case) -> None:
    number, size = FROM_KATAGO[case["symmetry"]], case["size"]
    raw, back = answers(case["network"])[case["id"], number][0], int(inverse(number))
    for name, found in (("policy", raw.policy[..., 0]), ("ownership", raw.ownership)):
        points = np.asarray(transform_planes(jnp.asarray(found), back))[:size, :size]
        np.testing.assert_allclose(points, case["raw"][name], atol=RAW_TOLERANCE, rtol=0)
    for name, found in (("policy_pass", raw.policy_pass[0]), ("value", raw.value), ("score", raw.score)):
        np.testing.assert_allclose(found, case["raw"][name], atol=RAW_TOLERANCE, rtol=0)


@cache
def made_up_evaluate() -> Any:
    """The evaluation of one position in a 19x19 array by a made-up network, compiled once."""
    return jax.jit(partial(evaluate, KataGoNetwork(made_up().description)))


def test_one_program_serves_every_size_and_padding_changes_nothing() -> None:
    variables, straight, chance = made_up().variables, jnp.zeros(1, jnp.int32), np.random.default_rng(0)
    padded, alone = made_up_evaluate(), jax.jit(partial(evaluate, KataGoNetwork(made_up().description)))
    for size in (2, 3, 7, 12, 19):
        case = random_case(chance, size)
        found = padded(variables, inputs_of(case), straight)
        policy, owned = np.asarray(found.policy[0, :-1]).reshape(SIDE, SIDE), np.asarray(found.ownership[0])
        for points in (policy, owned):
            assert np.abs(points[size:]).sum() == np.abs(points[:, size:]).sum() == 0
        assert float(found.policy.sum()) == pytest.approx(1, abs=1e-5)
        if size == 7:
            wanted = alone(variables, inputs_of(case, size), straight)
            np.testing.assert_allclose(policy[:size, :size].ravel(), wanted.policy[0, :-1], atol=1e-5)
            np.testing.assert_allclose(owned[:size, :size], wanted.ownership[0], atol=1e-5)
            for field in ("win", "loss", "no_result", "lead", "score_mean", "score_mean_square"):
                np.testing.assert_allclose(getattr(found, field), getattr(wanted, field), rtol=1e-4)
    assert padded._cache_size() == 1


def random_case(chance: np.random.Generator, size: int) -> Case:
    """Planes that need not be a position's."""
    drawn = {
        str(number): ["".join(chance.choice(["0", "1"], size)) for _ in range(size)] for number in (1, 2, 3, 9, 14, 18)
    }
    rows = ["1" * size] * size
    return {"size": size, "planes": drawn, "legal": rows, "globals": [0.0] * 5 + [0.3] + [0.0] * 13, "ko": "simple"}


def test_a_turned_position_gets_the_turned_evaluation_under_the_inverse_symmetry() -> None:
    network, variables = KataGoNetwork(made_up().description), made_up().variables
    under = partial(made_up_evaluate(), variables)
    under_all = partial(jax.jit(partial(evaluate_average, network)), variables)
    inputs = inputs_of(random_case(np.random.default_rng(1), SIDE))
    straight, average = under(inputs, jnp.zeros(1, jnp.int32)), under_all(inputs)
    for number in range(NUM_SYMMETRIES):
        turned = inputs._replace(planes=jax.vmap(transform_planes, (0, None))(inputs.planes, number))
        found = under(turned, inverse(number)[None])
        points = transform_planes(straight.policy[0, :-1].reshape(SIDE, SIDE), number)
        np.testing.assert_allclose(found.policy[0, :-1], points.ravel(), atol=1e-6)
        np.testing.assert_allclose(found.ownership[0], transform_planes(straight.ownership[0], number), atol=1e-5)
        np.testing.assert_allclose(found.win, straight.win, atol=1e-5)
        np.testing.assert_allclose(under_all(turned).win, average.win, atol=1e-5)


@pytest.mark.slow
def test_bfloat16_is_near_float32() -> None:
    inputs, file = inputs_of(random_case(np.random.default_rng(2), 9), 9), loaded(NAMES[-1])
    variables = file.variables
    networks = (KataGoNetwork(file.description, dtype) for dtype in ("float32", "bfloat16"))
    exact, rough = (
        jax.jit(partial(evaluate, network))(variables, inputs, jnp.zeros(1, jnp.int32)) for network in networks
    )
    assert 0 < float(np.abs(rough.win - exact.win).max()) < 0.03
    assert float(np.abs(rough.policy - exact.policy).max()) < 0.05
    assert rough.policy.dtype == rough.lead.dtype == jnp.float32


@pytest.mark.parametrize(
    ("version", "variance_time", "win_error", "score_error"),
    [
        (8, -1, -1, -1),
        (9, 40 * np.log1p(np.e), np.log1p(np.e**2), 10 * np.log1p(np.e**3)),
        (11, 40 * np.log1p(np.e), np.sqrt(0.25 * np.log1p(np.e**2)), np.sqrt(30 * np.log1p(np.e**3))),
        (14, 40 * np.log1p(np.e), np.sqrt(0.25) * np.log1p(np.e), np.sqrt(30) * np.log1p(np.e**1.5)),
    ],
)
def test_uncertainties_follow_the_versions_formulas(
    version: int, variance_time: float, win_error: float, score_error: float
) -> None:
    description = made_up(version).description
    scores = [1.0, 2.0, 3.0, 1.0, 2.0, 3.0][: 4 if version == 8 else 6]
    raw = RawOutputs(
        policy=jnp.zeros((1, 1, 1, 1)),
        policy_pass=jnp.zeros((1, 1)),
        value=jnp.log(jnp.array([[1.0, 2.0, 1.0]])),
        score=jnp.array([scores]),
        ownership=jnp.full((1, 1, 1), 0.5),
    )
    found = read_outputs(description, raw, jnp.array([[True, True]]), jnp.array([True]))
    assert [float(found.win[0]), float(found.loss[0]), float(found.no_result[0])] == pytest.approx([0.25, 0.5, 0.25])
    assert float(found.value[0]) == pytest.approx(-0.25)
    deviation = 20 * np.log1p(np.e**2)
    assert float(found.score_mean[0]) == pytest.approx(0.75 * 20)
    assert float(found.score_mean_square[0]) == pytest.approx(0.75 * (400 + deviation**2))
    assert float(found.lead[0]) == pytest.approx(0.75 * 60)
    assert float(found.variance_time[0]) == pytest.approx(variance_time)
    assert float(found.short_term_win_error[0]) == pytest.approx(win_error)
    assert float(found.short_term_score_error[0]) == pytest.approx(score_error)
    assert float(found.ownership[0, 0, 0]) == pytest.approx(np.tanh(0.5))
    certain = read_outputs(description, raw, jnp.array([[True, False]]), jnp.array([False]))
    assert [float(certain.win[0]), float(certain.no_result[0])] == pytest.approx([1 / 3, 0])
    assert certain.policy.tolist() == [[1, 0]]


def test_the_optimistic_policy_is_mixed_in_where_there_is_one() -> None:
    raw = RawOutputs(
        policy=jnp.array([[[[1.0, 3.0]]]]),
        policy_pass=jnp.array([[0.0, 10.0]]),
        value=jnp.zeros((1, 3)),
        score=jnp.zeros((1, 6)),
        ownership=jnp.zeros((1, 1, 1)),
    )
    points, of_pass = policy_logits(raw, 0.2)
    assert (float(points[0, 0, 0]), float(of_pass[0])) == pytest.approx((1.4, 2.0))
    alone, _ = policy_logits(raw._replace(policy=raw.policy[..., :1], policy_pass=raw.policy_pass[..., :1]), 0.2)
    assert float(alone[0, 0, 0]) == 1.0


def test_known_designs_are_as_large_as_the_networks_that_they_are_named_after() -> None:
    known, made = loaded(B6).description, describe(DESIGNS["b6c96"])
    for name in ("trunk", "policy_head", "value_head"):
        shapes = [_sizes(getattr(description, name)) for description in (known, made)]
        assert shapes[0] == shapes[1]


def _sizes(record: Any) -> list[Any]:
    """The numbers in a record and in those inside, in order, but for which norms have a scale."""
    sizes = []
    for name, value in vars(record).items():
        if name in ("name", "has_scale", "epsilon", "num_dilated_channels"):
            continue
        for part in value if isinstance(value, tuple) else (value,):
            sizes += _sizes(part) if hasattr(part, "__dataclass_fields__") else [part]
    return sizes
