"""The small experiments: their data, their folders, and that an interruption changes nothing."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from geomlin.errors import LayoutError
from geomlin.experiments import convergence, fashion_mnist, fmnist, fmnist_report, parameters
from geomlin.experiments.fashion_networks import NETWORKS, learned_parameters, rotor_parameters
from geomlin.experiments.run_folder import RunFolder

# --------------------------------------------------------------------------- the folder of a run


def test_a_folder_goes_on_and_refuses_other_settings(tmp_path):
    run = RunFolder(tmp_path, {"epochs": 3, "names": ("a", "b")})
    run.save("state", {"step": 1, "values": torch.arange(3)})
    run.record("a", [1.0])
    again = RunFolder(tmp_path, {"epochs": 3, "names": ("a", "b")})
    assert again.load("state")["step"] == 1
    assert again.results() == {"a": [1.0]}
    assert again.load("other") is None
    with pytest.raises(LayoutError, match=r"other settings \(epochs differ\)"):
        RunFolder(tmp_path, {"epochs": 4, "names": ("a", "b")})


def test_a_checkpoint_that_was_being_written_is_ignored(tmp_path):
    run = RunFolder(tmp_path, {})
    run.save("state", {"step": 1})
    (tmp_path / "state.pt.part").write_bytes(b"half of a file")
    assert run.load("state") == {"step": 1}


# --------------------------------------------------------------------------- learned numbers


@pytest.mark.parametrize("model", parameters.CONFIGURATIONS)
def test_counts_are_those_of_built_layers_and_of_arithmetic(model):
    rows = parameters.rows(model, parameters.CONFIGURATIONS[model])
    assert len(rows) == 3 * len(parameters.METHODS)
    for row in rows:
        if row["method"] != "BH1":
            assert row["by formula"] == row["numbers"], row


def test_the_published_count_of_the_query_projection():
    """4,194,304 numbers become at most 896 (arXiv 2507.11688)."""
    rows = parameters.rows("Llama-3.2-1B", parameters.CONFIGURATIONS["Llama-3.2-1B"])
    numbers = {(r["projection"], r["method"]): r["numbers"] for r in rows}
    assert numbers["q", "dense"] == 4_194_304
    assert 885 <= numbers["q", "rotor network"] <= 896
    assert "| 895 |" in parameters.table(rows)


def test_counts_from_a_configuration_file(tmp_path):
    file = tmp_path / "config.json"
    file.write_text(
        json.dumps({"hidden_size": 2048, "num_attention_heads": 32, "num_key_value_heads": 8})
    )
    assert parameters.from_file(file) == parameters.CONFIGURATIONS["Llama-3.2-1B"]
    file.write_text("{}")
    with pytest.raises(LayoutError, match="hidden_size"):
        parameters.from_file(file)


# --------------------------------------------------------------------------- Fashion-MNIST


def write_idx(path: Path, values: np.ndarray) -> None:
    sizes = b"".join(size.to_bytes(4, "big") for size in values.shape)
    content = bytes([0, 0, 8, values.ndim]) + sizes + values.astype(np.uint8).tobytes()
    path.write_bytes(gzip.compress(content))


@pytest.fixture
def small_data(tmp_path, monkeypatch):
    """Pictures whose class is where they are bright; a stand-in with the real format."""
    folder = tmp_path / "data"
    folder.mkdir()
    rng = np.random.default_rng(0)
    for name, count in (("train", 1400), ("t10k", 300)):
        classes = rng.integers(0, 10, count)
        pictures = rng.integers(0, 120, (count, 28, 28))
        pictures[np.arange(count), 2 * classes, :] += 120
        write_idx(folder / f"{name}-images-idx3-ubyte.gz", pictures)
        write_idx(folder / f"{name}-labels-idx1-ubyte.gz", classes)
    monkeypatch.setattr(fashion_mnist, "VALIDATION", 200)
    return folder


def test_read_idx(tmp_path):
    values = np.arange(24).reshape(2, 3, 4)
    write_idx(tmp_path / "a.gz", values)
    assert (fashion_mnist.read_idx(tmp_path / "a.gz") == values).all()
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"PK\x03\x04"))
    with pytest.raises(LayoutError, match="IDX"):
        fashion_mnist.read_idx(tmp_path / "b.gz")
    (tmp_path / "c.gz").write_bytes(gzip.compress(bytes([0, 0, 8, 1, 0, 0, 0, 9, 1, 2])))
    with pytest.raises(LayoutError, match="expected 9 bytes"):
        fashion_mnist.read_idx(tmp_path / "c.gz")


def test_the_splits_do_not_mix_and_only_training_pixels_standardise(small_data):
    data = fashion_mnist.load(fashion_mnist.folder(small_data))
    assert [len(split.classes) for split in data] == [1200, 200, 300]
    assert abs(float(data.train.pictures.mean())) < 1e-5
    assert abs(float(data.train.pictures.std()) - 1.0) < 1e-5
    assert abs(float(data.test.pictures.mean())) > 1e-6


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(fashion_mnist.DatasetMissing, match=r"train-images-idx3\S* is missing"):
        fashion_mnist.folder(tmp_path)


def test_download_checks_what_it_fetches(small_data, tmp_path, monkeypatch):
    """The real code path, with an address on this machine."""
    address = small_data.as_uri() + "/"
    with pytest.raises(fashion_mnist.DatasetMissing, match="expected MD5"):
        fashion_mnist.download(tmp_path / "a", address)
    assert not list((tmp_path / "a").glob("*.gz"))
    digests = {
        name: hashlib.md5((small_data / name).read_bytes(), usedforsecurity=False).hexdigest()
        for name in fashion_mnist.FILES
    }
    monkeypatch.setattr(fashion_mnist, "FILES", digests)
    target = fashion_mnist.download(tmp_path / "b", address)
    assert sorted(p.name for p in target.iterdir()) == sorted(digests)
    with pytest.raises(fashion_mnist.DatasetMissing, match="cannot fetch"):
        fashion_mnist.download(tmp_path / "c", "file:///nowhere/")


def test_networks_and_their_numbers():
    rotor, frozen = NETWORKS["rotor"](), NETWORKS["rotor, frozen"]()
    assert rotor_parameters(frozen) == 0
    assert learned_parameters(rotor) < learned_parameters(NETWORKS["dense"]()) / 20
    assert rotor_parameters(rotor) < 1000
    x = torch.randn(5, 784)
    for build in NETWORKS.values():
        assert build()(x).shape == (5, 10)


def test_training_learns_and_is_not_repeated(small_data, tmp_path):
    outcomes = fmnist.run_fmnist(
        tmp_path / "run", data=small_data, epochs=3, names=("linear", "rotor")
    )
    for outcome in outcomes:
        assert outcome.test > 60.0, "chance is 10"
        assert sum(map(sum, outcome.confusion)) == 300
        assert (
            abs(100 * sum(outcome.confusion[k][k] for k in range(10)) / 300 - outcome.test) < 1e-9
        )
    again = fmnist.run_fmnist(
        tmp_path / "run", data=small_data, epochs=3, names=("linear", "rotor")
    )
    assert again == outcomes
    for row, count in zip(outcomes[0].confusion, class_counts(small_data), strict=True):
        assert sum(row) == count, "a row of the confusion holds the pictures of one true class"
    text = fmnist_report.table(outcomes)
    assert "88.36" in text
    assert f"{outcomes[1].test:.2f}" in text
    assert all(path.stat().st_size > 5000 for path in fmnist_report.draw(outcomes, tmp_path))


def class_counts(folder):
    found = fashion_mnist.read_idx(folder / "t10k-labels-idx1-ubyte.gz")
    return np.bincount(found, minlength=10).tolist()


SCRIPT = """
import sys
from pathlib import Path
from geomlin.experiments import fashion_mnist, fmnist
fashion_mnist.VALIDATION = 200
fmnist.run_fmnist(Path(sys.argv[1]), data=Path(sys.argv[2]), epochs=6, names=("rotor",))
"""


def test_killed_in_the_middle_it_ends_with_the_same_numbers(small_data, tmp_path):
    def start(folder):
        words = [sys.executable, "-c", SCRIPT, str(folder), str(small_data)]
        return subprocess.Popen(words, env=os.environ | {"OMP_NUM_THREADS": "1"})

    whole, cut = tmp_path / "whole", tmp_path / "cut"
    assert start(whole).wait(timeout=300) == 0
    process = start(cut)
    deadline = time.monotonic() + 200
    while not (cut / "rotor-0.pt").exists():
        assert time.monotonic() < deadline
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (cut / "results.json").exists()
    assert start(cut).wait(timeout=300) == 0
    found = [RunFolder.results(_opened(folder))["rotor, seed 0"] for folder in (whole, cut)]
    for name in ("validation", "test", "confusion"):
        assert found[0][name] == found[1][name]


def _opened(folder):
    settings = json.loads((folder / "settings.json").read_text())
    return RunFolder(folder, settings)


@pytest.mark.needs("fashion-mnist")
def test_the_real_pictures():
    """Debian's package dataset-fashion-mnist (it packs the files anew, so digests differ)."""
    place = fashion_mnist.folder(None)
    data = fashion_mnist.load(place)
    assert [len(split.classes) for split in data] == [50_000, 10_000, 10_000]
    assert torch.bincount(data.test.classes).tolist() == [1000] * 10


@pytest.mark.needs("fashion-mnist")
def test_two_epochs_of_the_real_thing(tmp_path):
    (outcome,) = fmnist.run_fmnist(tmp_path, epochs=2, names=("rotor",))
    assert outcome.test > 84.0


# --------------------------------------------------------------------------- convergence


def test_convergence_counts_what_the_iteration_does_not_say(tmp_path):
    results = convergence.run_convergence(tmp_path, samples=6, steps=3, dimensions=(4, 6))
    close = results["n=6, close angles"]
    assert close["median"] > results["n=6, random"]["median"]
    assert close["wrong %"] > 50.0
    text = convergence.table(results)
    assert text.count("| close angles |") == 2
    before = json.dumps(results)
    assert (
        json.dumps(convergence.run_convergence(tmp_path, samples=6, steps=3, dimensions=(4, 6)))
        == before
    )


def test_the_rotor_error_sees_a_missing_plane():
    b = torch.tensor([[1.0, 0.0, 0.0, 0.0, 0.0, 0.4]], dtype=torch.float64)
    parts = torch.stack([b.clone(), b.clone()])
    parts[0, 0, 5], parts[1, 0, 0] = 0.0, 0.0
    assert convergence.rotor_error(b, parts, 4).max() < 1e-15
    assert convergence.rotor_error(b, parts[:1], 4).max() > 0.1


# --------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("llm", "--layers", "ten"), "expected layers such as 10,20,28, got 'ten'"),
        (("llm", "--methods", "LR9"), "expected --methods among zero, mean, LR1"),
        (("llm", "--recipe", "mine"), "expected --recipe among tuned, published, got mine"),
        (("llm", "--output-projection", "no"), "among least-squares, published, got no"),
        (("llm", "--questions", "nowhere.jsonl"), "or mmlu, nowhere.jsonl does not exist"),
        (("pareto", "--methods", "LR4,LR9"), "expected --methods among zero, mean, LR1"),
        (("pareto", "--layers", "8;9"), "expected layers such as 10,20,28, got '8;9'"),
        (("llm", "--text", "nowhere.txt"), "nowhere.txt"),
        (("fmnist", "--data", "nowhere"), "train-images-idx3-ubyte.gz is missing"),
        (("parameters", "--configuration", "nowhere.json"), "nowhere.json"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_the_command_refuses_bad_input_with_one_message(words, said, tmp_path, monkeypatch, capsys):
    from geomlin import cli
    from geomlin.experiments import command

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "_needed", lambda *names, extra: None)  # the extras are not asked
    monkeypatch.setattr(sys, "argv", ["geomlin", "experiment", *words])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert stopped.value.code == 2
    told = capsys.readouterr().err
    assert said in told.replace("\n", "")
    assert "Traceback" not in told


def test_files_that_are_not_what_they_claim_are_named(tmp_path):
    (tmp_path / "file").write_text("text")
    with pytest.raises(LayoutError, match="expected a folder at"):
        RunFolder(tmp_path / "file", {})
    (tmp_path / "settings.json").write_text("{")
    with pytest.raises(LayoutError, match="expected JSON in"):
        RunFolder(tmp_path, {})
    (tmp_path / "config.json").write_text("[1]")
    with pytest.raises(LayoutError, match="expected an object in"):
        parameters.from_file(tmp_path / "config.json")
    with pytest.raises(LayoutError, match="expected a whole gzip file"):
        fashion_mnist.read_idx(tmp_path / "file")
