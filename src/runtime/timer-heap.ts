/** A place in a heap; it is out of date where its owner holds another one. */
export interface Node<T> {
  readonly at: number;
  readonly item: T;
}

/** The earliest first, in O(log n). Nothing is taken out of the middle: the owner skips what is out of date. */
export class TimerHeap<T> {
  readonly #nodes: Node<T>[] = [];

  get size(): number {
    return this.#nodes.length;
  }

  peek(): Node<T> | undefined {
    return this.#nodes[0];
  }

  push(node: Node<T>): void {
    const nodes = this.#nodes;
    let index = nodes.push(node) - 1;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = nodes[above] as Node<T>;
      if (parent.at <= node.at) break;
      nodes[index] = parent;
      index = above;
    }
    nodes[index] = node;
  }

  pop(): Node<T> | undefined {
    const nodes = this.#nodes;
    const first = nodes[0];
    const last = nodes.pop();
    if (last === undefined || nodes.length === 0) return first;
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      if (below >= nodes.length) break;
      if (below + 1 < nodes.length && (nodes[below + 1] as Node<T>).at < (nodes[below] as Node<T>).at) below++;
      const child = nodes[below] as Node<T>;
      if (child.at >= last.at) break;
      nodes[index] = child;
      index = below;
    }
    nodes[index] = last;
    return first;
  }
}
