// Runs in a worker, behind dagre: {nodes: [{width, height, group}], edges: [[from, to]]} to places of the middles.
function layered({ nodes, edges }) {
  const after = nodes.map(() => []),
    before = nodes.map(() => []),
    waits = nodes.map(() => 0);
  for (const [from, to] of edges) {
    after[from].push(to);
    before[to].push(from);
    ++waits[to];
  }
  const rank = nodes.map(() => 0),
    ready = [];
  waits.forEach((count, k) => {
    if (count === 0) ready.push(k);
  });
  for (let at = 0; at < ready.length; ++at) {
    for (const next of after[ready[at]]) {
      rank[next] = Math.max(rank[next], rank[ready[at]] + 1);
      if (--waits[next] === 0) ready.push(next);
    }
  }
  const rows = [];
  for (const k of ready) (rows[rank[k]] ??= []).push(k);
  const place = nodes.map(() => 0);
  const spread = (row) => {
    const total = row.reduce((sum, k) => sum + nodes[k].width + 24, 0);
    let x = row.reduce((sum, k) => sum + place[k], 0) / row.length - total / 2;
    for (const k of row) {
      place[k] = x + nodes[k].width / 2;
      x += nodes[k].width + 24;
    }
  };
  const mean = (list) => list.reduce((sum, k) => sum + place[k], 0) / list.length;
  for (let sweep = 0; sweep < 8; ++sweep) {
    const down = sweep % 2 === 0;
    for (const row of down ? rows : [...rows].reverse()) {
      for (const k of row) {
        const near = (down ? before : after)[k];
        if (near.length) place[k] = mean(near);
      }
      row.sort((a, b) => place[a] - place[b]);
      spread(row);
    }
  }
  return {
    places: nodes.map((node, k) => [place[k], rank[k] * (node.height + 30)]),
    lines: edges.map(() => null),
  };
}

function withDagre({ nodes, edges }, compound) {
  const graph = new dagre.graphlib.Graph({ compound, multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 22, ranksep: 30, marginx: 10, marginy: 10 });
  graph.setDefaultEdgeLabel(() => ({}));
  nodes.forEach(({ width, height }, k) => graph.setNode(String(k), { width, height }));
  if (compound) {
    nodes.forEach(({ group }, k) => {
      if (group === null) return;
      graph.setNode(`g${group}`, {});
      graph.setParent(String(k), `g${group}`);
    });
  }
  edges.forEach(([from, to], k) => graph.setEdge(String(from), String(to), {}, String(k)));
  dagre.layout(graph);
  return {
    places: nodes.map((_, k) => {
      const n = graph.node(String(k));
      return [n.x, n.y];
    }),
    lines: edges.map(([from, to], k) =>
      graph.edge(String(from), String(to), String(k)).points.map(({ x, y }) => [x, y]),
    ),
  };
}

// A simple layout at once, then a better one, if there are not too many nodes for it.
onmessage = ({ data }) => {
  const better = data.nodes.length <= data.most;
  postMessage({ ...layered(data), last: !better });
  for (const compound of better ? [true, false] : []) {
    try {
      postMessage({ ...withDagre(data, compound), last: true });
      return;
    } catch (error) {
      /* without groups, or as it is */
    }
  }
  if (better) postMessage({ ...layered(data), last: true });
};
