"""The page of the explorer; `geomlin explore` serves it."""

import marimo

app = marimo.App(width="medium", app_title="geomlin explorer")


@app.cell
def _():
    import marimo as mo

    from geomlin import Algebra
    from geomlin.explore import pictures, snippets

    return Algebra, mo, pictures, snippets


@app.cell
def _(mo, snippets):
    signature = mo.ui.dropdown(
        options=list(snippets.SIGNATURES), value="Cl(3): space", label="algebra"
    )
    return (signature,)


@app.cell
def _(Algebra, mo, signature, snippets):
    numbers = snippets.SIGNATURES[signature.value]
    names = Algebra(*numbers).bivector_blades
    start = dict(zip(names, (0.7, 0.0, 0.4, 0.0, 0.2, 0.5), strict=False))
    sliders = mo.ui.dictionary(
        {
            name: mo.ui.slider(
                -3.2, 3.2, 0.05, value=start.get(name, 0.0), label=name, show_value=True
            )
            for name in names
        }
    )
    return numbers, sliders


@app.cell
def _(mo, signature, sliders):
    mo.vstack(
        [
            mo.md("# Bivectors and rotors"),
            mo.md(
                "Choose an algebra, move the coefficients of a bivector $B$, and see the rotor "
                "$R = e^{B}$, what it does, and the code that says so. Angles in $B$ are "
                "*half-angles*: a plane turns by twice its coefficient."
            ),
            signature,
            mo.hstack(list(sliders.elements.values()), wrap=True, justify="start", gap=1.5),
        ]
    )
    return


@app.cell
def _(Algebra, numbers, sliders):
    coefficients = {name: round(value, 2) for name, value in sliders.value.items()}
    B = Algebra(*numbers).bivector(coefficients)
    return B, coefficients


@app.cell
def _(mo, snippets):
    def drawn(picture, words):
        """A picture for the eye, and words for who does not see it."""
        import base64
        import io

        file = io.BytesIO()
        picture.savefig(file, format="png", dpi=110)
        picture.clear()
        # Inside the page: a file of its own may be gone before a browser under way asks for it.
        data = base64.b64encode(file.getvalue()).decode()
        return mo.Html(
            f'<img alt="{words}" src="data:image/png;base64,{data}" style="max-width: 100%">'
        )

    def view(title, formula, code, picture=None):
        """A heading, a formula, what the code prints, a picture, and the code to copy."""
        shown = mo.md(f"```text\n{snippets.output_of(code)}\n```")
        copy = mo.accordion({"Copy as Python": mo.md(f"```python\n{code}```")})
        content = [mo.md(f"## {title}"), mo.md(f"$${formula}$$"), shown, picture, copy]
        return mo.vstack([item for item in content if item is not None])

    return drawn, view


@app.cell
def _(coefficients, numbers, snippets, view):
    view(
        "Simple parts",
        r"B = b_1 + b_2 + \dots, \quad b_i^2 \in \mathbb{R}, \quad b_i b_j = b_j b_i",
        snippets.parts(numbers, coefficients),
    )
    return


@app.cell
def _(coefficients, numbers, snippets, view):
    view(
        "The rotor, as floats and certified",
        r"R = e^{B} = \prod_i \bigl(C(b_i^2) + S(b_i^2)\, b_i\bigr)",
        snippets.rotor(numbers, coefficients),
    )
    return


@app.cell
def _(coefficients, numbers, snippets, view):
    view(
        "The rotor, exactly",
        r"C(s) = \cosh\sqrt{s}, \quad S(s) = \frac{\sinh\sqrt{s}}{\sqrt{s}}, \quad "
        r"\mathrm{Stumpff}(0, s) = C(s), \quad \mathrm{Stumpff}(1, s) = S(s)",
        snippets.exact(numbers, coefficients),
    )
    return


@app.cell
def _(mo):
    azimuth = mo.ui.slider(-180, 180, 5, value=-60, label="look from", show_value=True)
    return (azimuth,)


@app.cell
def _(B, azimuth, coefficients, drawn, mo, numbers, pictures, snippets, view):
    view(
        "The rotation",
        r"x \mapsto R\,x\,\tilde{R} = e^{2M} x, \quad M = bG",
        snippets.matrix(numbers, coefficients),
        mo.vstack([drawn(pictures.action(B, azimuth.value), "a cube and its image"), azimuth]),
    )
    return


@app.cell
def _(B, coefficients, drawn, numbers, pictures, snippets, view):
    view(
        "Two rotors over one rotation",
        r"R\,x\,\tilde{R} = (-R)\,x\,\widetilde{(-R)}",
        snippets.lifts(numbers, coefficients),
        drawn(pictures.double_cover(B), "scalar parts of both rotors along the path exp(tB)"),
    )
    return


@app.cell
def _(Algebra, mo, numbers):
    blade = mo.ui.dropdown(options=list(Algebra(*numbers).blades), value="e1", label="x")
    share = mo.ui.slider(-1.0, 1.0, 0.1, value=1.0, label="share", show_value=True)
    return blade, share


@app.cell
def _(B, blade, coefficients, drawn, mo, numbers, pictures, share, snippets, view):
    mo.vstack(
        [
            view(
                "A rotor layer",
                r"x \mapsto r\,x\,\tilde{s}, \quad r = e^{B},\ s = e^{\mathrm{share}\,B}",
                snippets.layer(numbers, coefficients, blade.value, round(share.value, 1)),
                drawn(
                    pictures.layer(B, blade.value, round(share.value, 1)),
                    "coefficients of x and of r x ~s",
                ),
            ),
            mo.hstack([blade, share], wrap=True, justify="start", gap=1.5),
        ]
    )
    return


if __name__ == "__main__":
    app.run()
