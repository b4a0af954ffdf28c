// Reads the conformance vectors and checks a tiny Clifford algebra with them: no geomlin, no Python.
//   node examples/conformance_reader.mjs [folder of the JSON files]
import { readFileSync } from "node:fs";

const folder = process.argv[2] ?? "geomlin/conformance/vectors";
const EPS = 2 ** -52; // of float64

// "3", "-0x1.8p+1", "nan", "inf": exact input numbers
function number(text) {
  const hex = /^(-?)0x([01])(?:\.([0-9a-f]+))?p([+-]\d+)$/.exec(text);
  if (!hex) return Number(text.replace("inf", "Infinity").replace("nan", "NaN"));
  const [, sign, whole, digits = "", exponent] = hex;
  const value = parseInt(whole + digits, 16) * 2 ** (Number(exponent) - 4 * digits.length);
  return sign ? -value : value;
}

// Blades are bitmasks, bit i for e_(i+1); the order of the files is by grade, then lexicographic.
const bits = (mask) => mask.toString(2).replaceAll("0", "").length;
const indices = (mask) => [...Array(12).keys()].filter((i) => (mask >> i) & 1).map((i) => i + 10);
const order = (n, keep = () => true) =>
  [...Array(2 ** n).keys()]
    .filter(keep)
    .sort((a, b) => bits(a) - bits(b) || (indices(a).join("") < indices(b).join("") ? -1 : 1));

function product(a, b, metric) {
  const result = new Float64Array(a.length);
  for (let s = 0; s < a.length; s++) {
    if (a[s] === 0) continue;
    for (let t = 0; t < b.length; t++) {
      let sign = 1;
      for (let i = 0; i < metric.length; i++) {
        if (!((t >> i) & 1)) continue;
        if (bits(s >> (i + 1)) % 2) sign = -sign; // e_i moves past the larger ones of s
        if ((s >> i) & 1) sign *= metric[i];
      }
      result[s ^ t] += sign * a[s] * b[t];
    }
  }
  return result;
}

const reverse = (a) => a.map((x, mask) => ((bits(mask) * (bits(mask) - 1)) / 2) % 2 ? -x : x);

function exp(b, metric) { // Taylor series of b / 2^k, squared k times
  const norm = b.reduce((sum, x) => sum + Math.abs(x), 0);
  const k = Math.max(0, Math.ceil(Math.log2(norm)) + 3);
  const small = b.map((x) => x / 2 ** k);
  let term = b.map((_, mask) => (mask ? 0 : 1));
  let total = term;
  for (let j = 1; j < 16; j++) {
    term = product(term, small, metric).map((x) => x / j);
    total = total.map((x, mask) => x + term[mask]);
  }
  for (let j = 0; j < k; j++) total = product(total, total, metric);
  return total;
}

const checked = {
  geometric_product: ({ a, b }, metric) => product(a, b, metric),
  sandwich: ({ v, x }, metric) => product(product(v, x, metric), reverse(v), metric),
  exp: ({ b }, metric) => exp(b, metric),
};
const kinds = { even: (m) => bits(m) % 2 === 0, bivector: (m) => bits(m) === 2 };
const count = { pass: 0, fail: 0, skipped: 0 };
for (const group of ["product", "sandwich", "exp"]) {
  const file = JSON.parse(readFileSync(`${folder}/${group}.json`, "utf8"));
  for (const test of file.tests) {
    const [p, q, r] = test.signature, n = p + q + r;
    const far = group === "exp" && (r > 0 || n > 8); // needs more care than this reader takes
    if (!checked[test.operation] || test.result !== "valid" || far) { count.skipped++; continue; }
    const { arguments: names, result, bound } = file.operations[test.operation];
    const metric = [...Array(n).keys()].map((i) => (i < p ? 1 : i < p + q ? -1 : 0));
    const input = {};
    for (const [name, kind] of Object.entries(names)) {
      input[name] = new Float64Array(2 ** n);
      order(n, kinds[kind]).forEach((m, k) => (input[name][m] = number(test.input[name][k])));
    }
    const found = checked[test.operation](input, metric);
    const { mid, rad, unit } = test.output;
    const good = order(n, kinds[result]).every((m, k) => {
      const allowed = Number(rad) + bound * EPS * Number(Array.isArray(unit) ? unit[k] : unit);
      return Math.abs(found[m] - Number(mid[k])) <= allowed;
    });
    count[good ? "pass" : "fail"]++;
    if (!good) console.log(`FAIL ${test.id} ${test.operation} [${test.signature}] ${test.comment}`);
  }
}
console.log(`${count.pass} pass, ${count.fail} fail, ${count.skipped} skipped`);
process.exit(count.fail ? 1 : 0);
