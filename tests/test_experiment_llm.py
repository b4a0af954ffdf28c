"""The language-model experiment on small random models with the real architectures.

What is real: transformers' Llama and Qwen2, `datasets`, lm-eval, the package with SmolLM2-135M.
What is small: the models, the tokenizer and the texts.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import torch

from geomlin.errors import LayoutError
from geomlin.experiments import llm_choices, llm_fit, llm_methods, llm_output, llm_texts

WORDS = (
    "the", "a", "plane", "turns", "bivector", "rotor", "splits", "angle",
    "half", "sign", "cover", "vector", "field", "of", "and", "is",
)  # fmt: skip


def text(count, seed):
    rng = np.random.default_rng(seed)
    return "\n\n".join(" ".join(rng.choice(WORDS, size=120)) for _ in range(count))


# ------------------------------------------------------------ without transformers


class OneTokenAWord:
    def __call__(self, words, add_special_tokens=True):
        return {"input_ids": [WORDS.index(word) for word in words.split()]}


def test_documents_are_split_whole():
    documents = [" ".join([WORDS[k % 16]] * 50) for k in range(20)]
    tokens = llm_texts.split(documents, OneTokenAWord())
    assert [len(part) for part in tokens] == [700, 100, 200]
    assert all(len(part) % 50 == 0 for part in tokens), "no document is cut"


def test_windows_are_taken_or_refused_with_numbers():
    tokens = torch.arange(100)
    found = llm_texts.windows(tokens, 3, length=40, stride=20, purpose="scoring")
    assert found[:, 0].tolist() == [0, 20, 40]
    with pytest.raises(LayoutError, match="5 windows of 40 tokens for scoring, got 4"):
        llm_texts.windows(tokens, 5, length=40, stride=20, purpose="scoring")


def test_markup_is_taken_out():
    page = (
        "{{Infobox {{nested}} }}'''Clifford algebra''' is an [[Algebra over a field|algebra]] "
        "with a [[quadratic form]]<ref>source</ref>, see [http://x.org here]. It is long enough.\n"
        "* a list item that is long enough to be kept if it were running text, but is not one\n"
    )
    assert llm_texts.without_markup(page) == (
        "Clifford algebra is an algebra with a quadratic form, see here. It is long enough."
    )


def test_an_unknown_text_is_named():
    with pytest.raises(LayoutError, match="'wiki9'"):
        llm_texts.documents("wiki9")


def rows(seed=0, count=600, inputs=32, outputs=16):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(count, inputs, generator=generator) + 2.0
    weight = torch.randn(inputs, 3, generator=generator) @ torch.randn(
        3, outputs, generator=generator
    )
    return llm_fit.Rows(x, x @ weight / inputs**0.5 + 1.0)


@pytest.mark.parametrize("recipe", llm_methods.RECIPES)
@pytest.mark.parametrize("method", [name for name in llm_methods.KNOWN if name != "constant"])
def test_a_method_learns_no_worse_than_it_starts(method, recipe):
    train = rows()
    module = llm_methods.start(method, recipe, train.x, train.y, 0)
    before = llm_fit.errors(module, train)[1]
    if llm_methods.KNOWN[method].build is None:
        assert (before < 1.001) == (method == "mean")
        assert llm_methods.learned(module) == 0
        return
    llm_fit.learn(None, "", module, train, rate=0.02, recipe=recipe, epochs=20, seed=0)
    assert llm_fit.errors(module, train)[1] < before
    if recipe == "tuned":
        assert before < 1.6, "centred: it starts near the mean"


def test_the_published_schedule_alternates():
    assert [llm_methods.factor("published", k, 8) for k in range(4)] == [1.0, 0.0, 1.0, 0.0]
    tuned = [llm_methods.factor("tuned", k, 8) for k in range(9)]
    assert tuned[0] == 1.0
    assert sorted(tuned, reverse=True) == tuned
    assert abs(tuned[8]) < 1e-7


def test_the_refit_is_the_least_squares_answer():
    train = rows(count=900)
    exact = torch.linalg.lstsq(train.x, train.y).solution.T
    found = llm_output.ridge(torch.zeros(16, 32), train.x, train.y)

    def loss(weight):
        return (train.x @ weight.T - train.y).square().mean().item()

    assert loss(exact) <= loss(found) < 1.1 * loss(exact) + 0.02
    assert torch.allclose(llm_output.ridge(exact, train.x, train.x @ exact.T), exact, atol=1e-5)


def test_the_published_retraining_starts_anew_and_learns(tmp_path):
    """It forgets the original weight: the same result from any, and another for another seed."""
    from geomlin.experiments.run_folder import RunFolder

    train = rows(count=2560)
    run = RunFolder(tmp_path, {})
    one, same, other = (
        llm_output.published(run, key, torch.full((16, 32), weight), train.x, train.y, seed)
        for key, weight, seed in (("a", 0.0, 0), ("b", 1.0, 0), ("c", 0.0, 1))
    )
    assert torch.equal(one, same)
    assert not torch.equal(one, other)
    torch.manual_seed(0)
    start = torch.nn.Linear(32, 16, bias=False).weight.detach()

    def loss(weight):
        return (train.x @ weight.T - train.y).square().mean().item()

    assert loss(llm_output.ridge(start, train.x, train.y)) < loss(one) < loss(start)
    assert torch.equal(llm_output.published(run, "a", start, train.x, train.y, 0), one), "kept"


def test_questions_are_read_or_refused(tmp_path):
    file = tmp_path / "q.jsonl"
    file.write_text('{"question": "1 + 1?", "choices": ["2", "3"], "answer": 0}\n\n')
    (question,) = llm_choices.questions(file)
    assert question == llm_choices.Question("Question: 1 + 1?\nAnswer:", (" 2", " 3"), 0)
    for bad in ('{"question": "?"}', "[1]", '{"question": "?", "choices": ["2"], "answer": 1}'):
        file.write_text(bad)
        with pytest.raises(LayoutError, match=r"q\.jsonl:1"):
            llm_choices.questions(file)
    with pytest.raises(LayoutError, match="or mmlu"):
        llm_choices.choose("mmlu.jsonl", 10)
    file.write_text("\n")
    with pytest.raises(LayoutError, match="got none"):
        llm_choices.choose(str(file), 10)
    file.write_text(
        "\n".join(f'{{"question": "{k}", "choices": ["2"], "answer": 0}}' for k in range(9))
    )
    chosen = [question.context for question in llm_choices.choose(str(file), 3)]
    assert chosen == [f"Question: {k}\nAnswer:" for k in (0, 3, 6)]
    assert len(llm_choices.choose(str(file), 100)) == 9
    assert llm_choices.choose("", 10) == ()


# ------------------------------------------------------------ with transformers


def tiny_model(kind, folder):
    """A random model of the real architecture, saved as transformers saves it."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import (
        LlamaConfig,
        LlamaForCausalLM,
        PreTrainedTokenizerFast,
        Qwen2Config,
        Qwen2ForCausalLM,
    )

    vocabulary = {word: k for k, word in enumerate([*WORDS, "?", "Question", "Answer", ":"])}
    inner = Tokenizer(models.WordLevel(vocabulary, unk_token="?"))
    inner.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, unk_token="?", eos_token="?")
    shape = {
        "vocab_size": len(vocabulary), "hidden_size": 64, "intermediate_size": 96,
        "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
        "max_position_embeddings": 128,
    }  # fmt: skip
    torch.manual_seed(3)
    if kind == "llama":
        model = LlamaForCausalLM(LlamaConfig(**shape))
    else:
        model = Qwen2ForCausalLM(Qwen2Config(**shape))
        for layer in model.model.layers:
            for name in ("q_proj", "k_proj", "v_proj"):
                torch.nn.init.normal_(getattr(layer.self_attn, name).bias)
    for parameter in model.parameters():
        parameter.data.mul_(3.0)  # so that attention matters
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


@pytest.fixture(scope="session")
def models_on_disk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for kind in ("llama", "qwen2"):
        tiny_model(kind, folder / kind)
    (folder / "text.txt").write_text(text(200, 1))
    return folder


def settings(folder, kind, **changes):
    from geomlin.experiments.llm import Settings

    given = {
        "model": str(folder / kind), "files": (str(folder / "text.txt"),), "layers": (1,),
        "length": 64, "scored": 32, "train_windows": 24, "validation_windows": 6,
        "test_windows": 8, "epochs": 2.0,
    }  # fmt: skip
    return Settings(**(given | changes))


@pytest.mark.needs("llm")
@pytest.mark.parametrize("kind", ["llama", "qwen2"])
def test_the_whole_pipeline(kind, models_on_disk, tmp_path):
    from transformers import PreTrainedTokenizerFast

    from geomlin.experiments.llm import answers, losses, prepare, run_llm
    from geomlin.experiments.llm_layer import install, originals
    from geomlin.experiments.llm_model import load_model
    from geomlin.experiments.llm_report import draw, report

    asked = tuple(
        llm_choices.Question("the plane turns", (f" {word}", " a half"), 0) for word in WORDS[:9]
    )
    output = "published" if kind == "llama" else "least-squares"
    chosen = settings(models_on_disk, kind, layers=(0, 2), questions=asked, output=output)
    model = load_model(chosen.model)
    # By its class: for a Qwen2 model the automatic choice takes that of the real vocabulary.
    tokenizer = PreTrainedTokenizerFast.from_pretrained(chosen.model)
    model = model._replace(tokenizer=tokenizer)
    weights = {name: value.clone() for name, value in model.network.state_dict().items()}
    results = run_llm(tmp_path, chosen, model=model)
    found = [row for row in results.values() if "method" in row]
    assert {(row["method"], len(row["layers"])) for row in found} == {
        (method, count) for method in llm_methods.METHODS for count in (1, 2)
    }
    for row in found:
        assert all(np.isfinite(value) for value in row["fvu"].values())
    zero, original = results["zero-0-1"], losses(tmp_path, ["original"])["original"]
    assert zero["parameters"] == 0
    kept = losses(tmp_path, ["zero-0-1-kept"])["zero-0-1-kept"]
    assert kept.shape == original.shape == (8, 32)
    assert (kept - original).abs().max() > 1e-3
    if kind == "qwen2":  # where least squares leaves the output projection behind zeros alone
        with originals(model.network, (0, 2)):
            for layer in (0, 2):
                install(model.network, layer, _zeros(model.network, layer))
            both = token_losses(model.network, prepare(model, chosen).test)
        kept = losses(tmp_path, ["zero-0-2-kept"])["zero-0-2-kept"]
        assert torch.allclose(both, kept, atol=1e-4), "in parts as by the whole model"
    after = model.network.state_dict()
    assert all(torch.equal(after[name], value) for name, value in weights.items()), "put back"
    told = report(tmp_path, chosen, results)
    assert "### Layers 0, 2" in told
    assert "Order here" in told
    assert "9 questions" in told
    right = answers(tmp_path, ["original", "zero-0-2"])
    expected = [llm_choices.judge(model, question) for question in asked]
    assert right["original"].tolist() == [[float(a), float(b)] for a, b in expected]
    assert right["zero-0-2"].shape == (9, 2)
    assert draw(tmp_path, chosen, results).stat().st_size > 5000


def _zeros(network, layer):
    from geomlin.experiments.llm_model import attention

    return {
        name: llm_methods.Constant(
            torch.zeros(getattr(attention(network, layer), name).out_features)
        )
        for name in ("q_proj", "k_proj", "v_proj")
    }


def token_losses(network, tokens, scored=32):
    """By the experiment, from the embedding through every layer."""
    from geomlin.experiments import llm_model

    with torch.no_grad():
        hidden = llm_model.through(network, network.model.embed_tokens(tokens), 0)
    return llm_model.token_losses(network, hidden, tokens, scored)


@pytest.mark.needs("llm")
@pytest.mark.parametrize("kind", ["llama", "qwen2"])
def test_losses_in_parts_are_those_of_the_whole_model(kind, models_on_disk, tmp_path):
    from geomlin.experiments.llm_evaluate import evaluate
    from geomlin.experiments.llm_model import load_model
    from geomlin.experiments.llm_record import enter
    from geomlin.experiments.run_folder import RunFolder

    network = load_model(str(models_on_disk / kind)).network
    tokens = torch.randint(0, len(WORDS), (6, 64), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        likelihoods = network(input_ids=tokens).logits.log_softmax(dim=-1)[:, 31:-1]
    whole = -likelihoods.gather(-1, tokens[:, 32:, None])[..., 0]
    run = RunFolder(tmp_path, {})
    for first in (0, 2):
        entering = enter(run, f"entering-{first}", network, first, tokens)
        found = evaluate(run, f"from-{first}", network, entering, 32)
        assert torch.allclose(found, whole, atol=1e-5)
    wrong = entering._replace(layer=1)  # the twin: a layer twice
    assert not torch.allclose(evaluate(run, "wrong", network, wrong, 32), whole, atol=1e-2)


@pytest.mark.needs("llm")
@pytest.mark.parametrize("kind", ["llama", "qwen2"])
def test_the_layer_alone_computes_what_the_model_computes(kind, models_on_disk, tmp_path):
    """before_output from recorded inputs, against a hook in the whole model; biases included."""
    from geomlin.experiments.llm_layer import before_output, install, originals, projection_rows
    from geomlin.experiments.llm_model import attention, inputs_of, load_model
    from geomlin.experiments.llm_record import enter, record
    from geomlin.experiments.run_folder import RunFolder

    network = load_model(str(models_on_disk / kind)).network
    tokens = torch.randint(0, len(WORDS), (5, 64), generator=torch.Generator().manual_seed(0))
    run = RunFolder(tmp_path, {})
    recorded = record(run, "x", network, 1, enter(run, "y", network, 0, tokens))
    output = attention(network, 1).o_proj
    whole = inputs_of(output, lambda: network(input_ids=tokens)).flatten(0, 1)
    assert torch.allclose(before_output(network, 1, recorded), whole, atol=1e-5)
    assert not torch.allclose(before_output(network, 2, recorded), whole, atol=1e-2)  # the twin

    x = torch.from_numpy(np.array(recorded)).flatten(0, 1)
    before = token_losses(network, tokens)
    with originals(network, (1,)):
        exact = {}
        for name in ("q_proj", "k_proj", "v_proj"):
            train = projection_rows(network, 1, name, x)
            weight = torch.linalg.lstsq(torch.cat([x, torch.ones(len(x), 1)], 1), train.y).solution
            linear = torch.nn.Linear(*weight[:-1].shape)
            linear.weight.data, linear.bias.data = weight[:-1].T.contiguous(), weight[-1]
            exact[name] = linear
        install(network, 1, exact)
        assert torch.allclose(token_losses(network, tokens), before, atol=1e-3)
        del exact["q_proj"]
        install(network, 1, {"v_proj": torch.nn.Linear(64, 32)})
        assert not torch.allclose(token_losses(network, tokens), before, atol=1e-3)
    assert torch.equal(token_losses(network, tokens), before)


@pytest.mark.needs("llm")
def test_learning_together_lowers_the_error_behind_the_layers(models_on_disk, tmp_path):
    from geomlin.experiments import llm_model, pareto, pareto_report

    given = settings(models_on_disk, "llama", layers=(0, 1), methods=("zero", "constant", "LR4"))
    model = llm_model.load_model(given.model)
    weights = {name: value.clone() for name, value in model.network.state_dict().items()}
    results = pareto.run_pareto(tmp_path, given, seconds=4.0, model=model)
    after = model.network.state_dict()
    assert all(torch.equal(after[name], value) for name, value in weights.items()), "put back"
    constant, low_rank = results["constant-0"], results["LR4-0"]
    assert constant["parameters"] == 2 * (64 + 32 + 32)
    assert low_rank["parameters"] == constant["parameters"] + 2 * 4 * (128 + 96 + 96)
    for row in (constant, low_rank):
        assert row["error"] < row["error fitted"], "better than each projection alone"
    assert low_rank["error"] < constant["error"] < results["zero-0"]["error"]
    told = pareto_report.pareto_report(tmp_path, given, 4.0, results)
    assert "Pareto front: constant (256) → LR4 (2816)" in told or "front: constant (256)." in told
    assert pareto_report.draw_pareto(tmp_path, results).stat().st_size > 5000
    written = (tmp_path / "results.json").read_text()
    pareto.run_pareto(tmp_path, given, seconds=4.0, model=model)
    assert (tmp_path / "results.json").read_text() == written, "nothing computed again"


def test_the_front_and_the_comparison_at_equal_size():
    from geomlin.experiments.pareto_report import Point, _equal_size, front

    loss = torch.rand(6, 10, generator=torch.Generator().manual_seed(0))
    found = [
        Point("LR1", 100, loss + 0.3), Point("BH-64", 100, loss + 0.2),
        Point("rotor", 120, loss + 0.25), Point("LR4", 900, loss + 0.1),
    ]  # fmt: skip
    assert [point.method for point in front(found)] == ["BH-64", "LR4"]
    told = _equal_size(found)
    assert "rotor (120) against LR1 (100): -0.0500 ± 0.0000, better" in told
    assert "rotor (120) against BH-64 (100): +0.0500 ± 0.0000, worse" in told
    assert "LR4" not in told, "of another size"


SCRIPT = """
import json, sys
from pathlib import Path
from geomlin.experiments.llm import Settings, run_llm
from geomlin.experiments.pareto import run_pareto
given = json.loads(sys.argv[2])
given = {k: tuple(v) if isinstance(v, list) else v for k, v in given.items()}
if sys.argv[3] == "llm":
    run_llm(Path(sys.argv[1]), Settings(**given))
else:
    run_pareto(Path(sys.argv[1]), Settings(**given), seconds=4.0)
"""


def start(folder, chosen, experiment):
    from dataclasses import asdict

    words = [sys.executable, "-c", SCRIPT, str(folder), json.dumps(asdict(chosen)), experiment]
    return subprocess.Popen(words, env=os.environ | {"OMP_NUM_THREADS": "1"})


def kill_when(process, file):
    """Kill -9 as soon as the file is there."""
    deadline = time.monotonic() + 300
    while not file.exists():
        assert time.monotonic() < deadline
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()


@pytest.mark.needs("llm")
@pytest.mark.parametrize(
    "until", ["train-entering-done.pt", "fit-rotor-0-1-k_proj.pt", "losses-rotor-0-1-kept.pt"]
)
def test_killed_anywhere_it_ends_with_the_same_numbers(until, models_on_disk, tmp_path):
    chosen = settings(models_on_disk, "llama", methods=("rotor",), train_windows=48)
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    assert start(whole, chosen, "llm").wait(timeout=600) == 0
    kill_when(start(cut, chosen, "llm"), cut / until)
    assert start(cut, chosen, "llm").wait(timeout=600) == 0
    found = [json.loads((folder / "results.json").read_text()) for folder in (whole, cut)]
    assert found[0] == found[1]
    for name in ("losses-rotor-0-1-kept.pt", "losses-rotor-0-1-refit.pt"):
        pair = [torch.load(folder / name, weights_only=True) for folder in (whole, cut)]
        assert torch.equal(*pair)


@pytest.mark.needs("llm")
def test_learning_together_killed_in_the_middle_ends_with_the_same_numbers(
    models_on_disk, tmp_path
):
    """The costs of the steps are the measured ones of the first run, as after any interruption."""
    chosen = settings(models_on_disk, "llama", layers=(0, 1), methods=("rotor",))
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    assert start(whole, chosen, "pareto").wait(timeout=600) == 0
    found = json.loads((whole / "results.json").read_text())
    costs = {name: row for name, row in found.items() if name.endswith("-cost")}
    assert len(costs) == 2
    cut.mkdir()
    (cut / "results.json").write_text(json.dumps(costs))
    kill_when(start(cut, chosen, "pareto"), cut / "distill-rotor-0.pt")
    assert "rotor-0" not in json.loads((cut / "results.json").read_text())
    assert start(cut, chosen, "pareto").wait(timeout=600) == 0
    assert json.loads((cut / "results.json").read_text()) == found
    pair = [torch.load(folder / "losses-rotor-0.pt") for folder in (whole, cut)]
    assert torch.equal(*pair)


@pytest.mark.needs("llm")
def test_a_local_table_reads_like_the_one_of_the_hub(tmp_path):
    from datasets import Dataset

    lines = [" = One = \n", "", "text of one\n", " = = Part = = \n", "more\n", " = Two = \n", "b\n"]
    table = Dataset.from_dict({"text": lines})
    expected = llm_texts._joined(table["text"])
    assert len(expected) == 2
    table.to_parquet(tmp_path / "a.parquet")
    table.save_to_disk(tmp_path / "disk")
    arrow = next((tmp_path / "disk").glob("*.arrow"))
    assert llm_texts.documents("", [tmp_path / "a.parquet"]) == expected
    assert llm_texts.documents("", [arrow]) == expected


@pytest.mark.needs("llm")
def test_choices_are_scored_as_lm_eval_scores_them(models_on_disk):
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    from geomlin.experiments.llm_model import load_model

    model = load_model(str(models_on_disk / "llama"))
    asked = [
        llm_choices.Question(
            f"Question: the plane {WORDS[k]} ?\nAnswer:",
            (" a half turns", " vector", " the cover of the field", " sign is half"),
            k % 4,
        )
        for k in range(12)
    ]
    ours = [llm_choices.log_likelihoods(model, question) for question in asked]
    judge = HFLM(pretrained=model.network, tokenizer=model.tokenizer, batch_size=1, device="cpu")
    requests = [
        Instance("loglikelihood", {}, (question.context, choice), k)
        for question in asked
        for k, choice in enumerate(question.choices)
    ]
    theirs = [value for value, _ in judge.loglikelihood(requests, disable_tqdm=True)]
    assert np.allclose(np.ravel(ours), theirs, atol=1e-3)
    assert not np.allclose(np.ravel(ours)[::-1], theirs, atol=1e-3)  # the twin
    best = np.argmax(np.reshape(theirs, (12, 4)), axis=1)
    right = [llm_choices.judge(model, question)[0] for question in asked]
    assert right == (best == np.arange(12) % 4).tolist()


@pytest.mark.needs("llm")
def test_the_default_model_and_texts_are_there():
    """SmolLM2-135M from its package, text from gensim's wheel, questions from lm-eval's."""
    from geomlin.experiments.llm_model import load_model

    wiki, news = (llm_texts.documents(name) for name in llm_texts.OFFLINE)
    assert sum(map(len, wiki)) > 2_000_000
    assert len(news) == 299 or len(news) == 300
    assert len(llm_choices.development_questions()) > 200
    model = load_model()
    tokens = torch.tensor([model.tokenizer(wiki[0])["input_ids"][:128]])
    loss = token_losses(model.network, tokens, 64).mean()
    assert 1.0 < loss < 6.0, "it knows English"
    shuffled = tokens[:, torch.randperm(128, generator=torch.Generator().manual_seed(0))]
    assert token_losses(model.network, shuffled, 64).mean() > loss + 1.0  # the twin


# ------------------------------------------------------------ what the report rests on


def test_a_paired_difference_and_its_error_over_windows():
    from geomlin.experiments.llm_evaluate import paired

    better = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype=torch.float64)
    worse = better + torch.tensor([[0.1], [0.2], [0.3]], dtype=torch.float64)
    found = paired(worse, better)
    assert found.mean == pytest.approx(0.2)
    assert found.error == pytest.approx(0.1 / 3**0.5)  # the windows are the sample, not the tokens
    assert found.significant
    assert paired(better, worse).mean == pytest.approx(-0.2)
    assert not paired(better + torch.tensor([[0.3], [-0.3], [0.1]]), better).significant
    assert not paired(worse[:1], better[:1]).significant, "one window has no error"


def test_the_rate_with_the_smallest_validation_error_is_taken(tmp_path, monkeypatch):
    from geomlin.experiments.run_folder import RunFolder

    seen = []

    def learn(run, key, module, train, *, rate, **rest):
        seen.append(rate)

    monkeypatch.setattr(llm_fit, "learn", learn)
    wanted = {0: 3.0, 1: 1.0, 2: 2.0}
    monkeypatch.setattr(llm_fit, "errors", lambda module, held: (wanted[len(seen) - 1], 0.0))
    run = RunFolder(tmp_path, {})
    given = rows()
    best = llm_fit._best_rate(run, "key", "LR1", given, given, epochs=1.0, seed=0)
    assert best == llm_fit.RATES[1]
    again = llm_fit._best_rate(run, "key", "LR1", given, given, epochs=1.0, seed=0)
    assert again == best
    assert len(seen) == 3, "not tried again"


class _Fixed:
    """A model that gives each next token a likelihood of its own."""

    def __call__(self, input_ids, use_cache):
        logits = torch.arange(8.0).log().expand(1, input_ids.shape[1], 8)
        return type("Out", (), {"logits": logits})


def test_choices_by_sum_and_by_length():
    """Three tokens of likelihood 7/28 beat one of 1/28 by length only."""
    from geomlin.experiments.llm_model import Model

    def tokenizer(text):
        return {"input_ids": [int(c) for c in text if c.isdigit()]}

    asked = llm_choices.Question("5", (" 2", " 777777"), 1)
    assert llm_choices.judge(Model(_Fixed(), tokenizer, "fixed"), asked) == (False, True)


def test_the_report_averages_over_seeds(tmp_path):
    from geomlin.experiments.llm import Settings
    from geomlin.experiments.llm_report import draw, report

    loss = torch.rand(4, 8, generator=torch.Generator().manual_seed(0))
    loss += 2.0 - loss.mean()
    shifts = {"mean-0-1": 0.3, "LR1-0-1": 0.1, "LR1-1-1": 0.2}
    torch.save(loss, tmp_path / "losses-original.pt")
    results = {}
    for key, shift in shifts.items():
        for what in ("kept", "refit"):
            torch.save(loss + shift, tmp_path / f"losses-{key}-{what}.pt")
        method, seed, _ = key.split("-")
        fvu = dict.fromkeys(("q_proj", "k_proj", "v_proj"), 1.0)
        results[key] = {
            "method": method, "seed": int(seed), "layers": [20], "parameters": 7,
            "fvu": fvu, "mse": fvu,
        }  # fmt: skip
    told = report(tmp_path, Settings(), results)
    assert "Mean and deviation over seeds: LR1 2.1500 ± 0.0707." in told
    assert "LR1 < mean by 0.1500 ± 0.0000" in told
    assert "questions" not in told
    del results["LR1-1-1"]
    assert "over seeds" not in report(tmp_path, Settings(), results)
    assert draw(tmp_path, Settings(), results).name == "llm.png"
