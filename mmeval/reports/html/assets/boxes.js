// A picture with the boxes that were said and those that are right.

function seen(row) {
  const pictures = (row.pictures ?? []).map(pictureAt).filter(Boolean);
  const evidence = row.evidence;
  const boxed = evidence && typeof evidence === "object" && Array.isArray(evidence.boxes) && Array.isArray(evidence.golds)
    && evidence.width > 0 && evidence.height > 0;
  const plain = (url, place) => el("img", { src: url, alt: `picture ${place + 1} of the sample`, loading: "lazy", class: "picture",
    error: (event) => event.target.replaceWith(el("p", { class: "hint" }, "The picture is not where it was when this page was written.")) });
  if (!boxed) return pictures.map(plain);
  return [overlay(evidence, pictures[0]), pictures.slice(1).map(plain)];
}

function overlay(evidence, url) {
  const [width, height] = [evidence.width, evidence.height];
  const shown = Math.min(440, width * Math.max(1, 200 / height));
  const pen = width / shown;
  const draw = (kind) => (each) => {
    const box = each.box;
    if (!Array.isArray(box) || box.length !== 4 || !box.every(Number.isFinite)) return null;
    const label = [each.category, kind === "said" && typeof each.score === "number" ? +each.score.toFixed(3) : null].filter((part) => part !== null && part !== undefined && part !== "").join(" ");
    return svg("g", { class: `box-${kind}` },
      svg("rect", { x: box[0], y: box[1], width: Math.max(0, box[2]), height: Math.max(0, box[3]), fill: "none", "stroke-width": 2 },
        svg("title", null, `${kind}: ${label || "box"} ${box.map((value) => +value.toFixed(1)).join(", ")}`)),
      svg("text", { x: box[0] + 2 * pen, y: kind === "said" ? box[1] + 11 * pen : box[1] + box[3] - 3 * pen, "font-size": 10 * pen }, label));
  };
  const label = `${plural(evidence.boxes.length, "box", "boxes")} said, ${count(evidence.golds.length)} in the gold`;
  return el("figure", null,
    svg("svg", { viewBox: `0 0 ${width} ${height}`, width: shown, height: (shown * height) / width, role: "img", "aria-label": label, class: "overlay" },
      url ? svg("image", { href: url, width, height }) : svg("rect", { width, height, class: "canvas" }),
      evidence.golds.map(draw("gold")), evidence.boxes.map(draw("said"))),
    el("figcaption", { class: "hint" }, `${label} (gold dashed)`));
}
