/**
 * Parses the part of PromQL (prometheus.io/docs/prometheus/latest/querying/basics) that this repository's dashboards
 * and alerts use, and evaluates it over two scrapes. The parser rejects unknown syntax, so that an unsupported query
 * never counts as correct.
 */
import assert from 'node:assert/strict'
import { type Labels, type Sample, seriesKey } from './read-prometheus-text.ts'

type Node =
  | { readonly kind: 'number'; readonly value: number }
  | {
      readonly kind: 'selector'
      readonly name: string
      readonly matchers: readonly Matcher[]
      readonly isRange: boolean
    }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Node[] }
  | {
      readonly kind: 'sum'
      readonly name: string
      readonly by: readonly string[]
      readonly args: readonly Node[]
    }
  | { readonly kind: 'binary'; readonly operator: string; readonly left: Node; readonly right: Node }

interface Matcher {
  readonly label: string
  readonly operator: '=' | '!=' | '=~' | '!~'
  readonly value: string
}

const functions = new Set(['rate', 'increase', 'histogram_quantile', 'clamp_min', 'vector'])
const aggregations = new Set(['sum', 'max', 'min', 'avg', 'count', 'topk'])
const precedence: Readonly<Record<string, number>> = {
  or: 1,
  and: 2,
  '==': 3,
  '!=': 3,
  '>': 3,
  '<': 3,
  '>=': 3,
  '<=': 3,
  '+': 4,
  '-': 4,
  '*': 5,
  '/': 5,
}

/** @throws if the text is not a query in this part of the language */
export function parseQuery(text: string): Node {
  const tokens = [
    ...text.matchAll(
      /\s*("(?:[^"\\]|\\.)*"|\d+(?:\.\d+)?(?:e[+-]?\d+)?[smhd]?|[a-zA-Z_:][\w:]*|=~|!~|[=!<>]=|\S)/g,
    ),
  ].map(([, token = '']) => token)
  let at = 0
  const peek = (): string => tokens[at] ?? ''
  const next = (): string => tokens[at++] ?? ''
  const expect = (token: string): void => {
    const found = next()
    assert.equal(found, token, `${token} is expected, and ${found || 'the end'} is there: ${text}`)
  }
  const list = <T>(end: string, item: () => T): T[] => {
    const items: T[] = []
    while (peek() !== end) {
      items.push(item())
      if (peek() !== end) expect(',')
    }
    expect(end)
    return items
  }
  const matcher = (): Matcher => {
    const label = next()
    const operator = next()
    assert(
      operator === '=' || operator === '!=' || operator === '=~' || operator === '!~',
      `${operator} in ${text}`,
    )
    return { label, operator, value: String(JSON.parse(next())) }
  }
  const labels = (): string[] => {
    expect('(')
    return list(')', next)
  }
  const operand = (): Node => {
    const token = next()
    if (token === '(') {
      const inner = binary(0)
      expect(')')
      return inner
    }
    if (/^\d/.test(token)) return { kind: 'number', value: Number(token) }
    assert(/^[a-zA-Z_]/.test(token), `${token} begins no operand of ${text}`)
    if (aggregations.has(token)) {
      const isBefore = peek() === 'by'
      if (isBefore) next()
      const before = isBefore ? labels() : []
      expect('(')
      const args = list(')', () => binary(0))
      const isBehind = !isBefore && peek() === 'by'
      if (isBehind) next()
      return { kind: 'sum', name: token, by: isBehind ? labels() : before, args }
    }
    if (peek() === '(') {
      assert(functions.has(token), `the function ${token} is not known: ${text}`)
      next()
      return { kind: 'call', name: token, args: list(')', () => binary(0)) }
    }
    let matchers: readonly Matcher[] = []
    if (peek() === '{') {
      next()
      matchers = list('}', matcher)
    }
    const isRange = peek() === '['
    if (isRange) {
      next()
      assert.match(next(), /^\d+[smhd]$/, `a range of time: ${text}`)
      expect(']')
    }
    return { kind: 'selector', name: token, matchers, isRange }
  }
  const binary = (least: number): Node => {
    let left = operand()
    for (;;) {
      const operator = peek()
      const binds = precedence[operator]
      if (binds === undefined || binds <= least) return left
      next()
      left = { kind: 'binary', operator, left, right: binary(binds) }
    }
  }
  const node = binary(0)
  assert.equal(at, tokens.length, `${tokens.slice(at).join(' ')} is left of ${text}`)
  return node
}

export function namesOf(
  node: Node,
  by: readonly string[] = [],
): { readonly name: string; readonly labels: readonly string[] }[] {
  switch (node.kind) {
    case 'number':
      return []
    case 'selector':
      return [{ name: node.name, labels: [...by, ...node.matchers.map(({ label }) => label)] }]
    case 'call':
      return node.args.flatMap((arg) => namesOf(arg, by))
    case 'sum':
      return node.args.flatMap((arg) => namesOf(arg, node.by))
    case 'binary':
      return [...namesOf(node.left, by), ...namesOf(node.right, by)]
    default:
      return node satisfies never
  }
}

export interface Scrapes {
  readonly before: readonly Sample[]
  readonly after: readonly Sample[]
  readonly seconds: number
}

export type Vector = readonly Pick<Sample, 'labels' | 'value'>[]

/** Returns the current value of a query, as an instant query does. Rates are computed between the two scrapes. */
export function evaluate(node: Node, scrapes: Scrapes): Vector | number {
  switch (node.kind) {
    case 'number':
      return node.value
    case 'selector':
      assert(!node.isRange, `a range of ${node.name} is no value`)
      return select(node, scrapes.after)
    case 'call':
      return call(node, scrapes)
    case 'sum':
      return aggregate(node, scrapes)
    case 'binary':
      return combine(node.operator, evaluate(node.left, scrapes), evaluate(node.right, scrapes))
    default:
      return node satisfies never
  }
}

type Of<Kind extends Node['kind']> = Extract<Node, { kind: Kind }>

function select({ matchers, name }: Of<'selector'>, samples: readonly Sample[]): Sample[] {
  return samples.filter(
    (sample) => sample.name === name && matchers.every((matcher) => fits(matcher, sample.labels)),
  )
}

function fits({ label, operator, value }: Matcher, labels: Labels): boolean {
  const found = labels[label] ?? ''
  const isEqual = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(found) : found === value
  return operator.startsWith('!') ? !isEqual : isEqual
}

function call({ args, name }: Of<'call'>, scrapes: Scrapes): Vector {
  const [first, second] = args
  assert(first !== undefined, `${name} has an argument`)
  switch (name) {
    case 'rate':
    case 'increase':
      assert(first.kind === 'selector' && first.isRange, `${name} takes a range`)
      return increases(first, scrapes, name === 'rate' ? scrapes.seconds : 1)
    case 'vector':
      return [{ labels: {}, value: numberOf(evaluate(first, scrapes)) }]
    case 'clamp_min': {
      assert(second !== undefined, 'clamp_min has a bound')
      const least = numberOf(evaluate(second, scrapes))
      return vectorOf(evaluate(first, scrapes)).map(({ labels, value }) => ({
        labels,
        value: Math.max(least, value),
      }))
    }
    default:
      assert(second !== undefined, `${name} has a vector`)
      return quantiles(numberOf(evaluate(first, scrapes)), vectorOf(evaluate(second, scrapes)))
  }
}

/** Counters never reset, because no server restarts between the two scrapes. */
function increases(selector: Of<'selector'>, { after, before }: Scrapes, seconds: number): Vector {
  const earlier = new Map(select(selector, before).map(({ labels, value }) => [seriesKey(labels), value]))
  return select(selector, after).map(({ labels, value }) => ({
    labels,
    value: (value - (earlier.get(seriesKey(labels)) ?? 0)) / seconds,
  }))
}

/** Computes quantiles as Prometheus does: linear within a bucket, and the last bound for ranks beyond that bound. */
function quantiles(share: number, buckets: Vector): Vector {
  const groups = Map.groupBy(buckets, ({ labels }) => seriesKey(without(labels, 'le')))
  return [...groups.values()].map((group) => {
    const sorted = group
      .map(({ labels, value }) => ({ le: labels['le'] === '+Inf' ? Infinity : Number(labels['le']), value }))
      .toSorted((one, other) => one.le - other.le)
    assert.equal(sorted.at(-1)?.le, Infinity, 'the buckets are grouped by le')
    const rank = share * (sorted.at(-1)?.value ?? 0)
    const at = sorted.findIndex(({ value }) => value >= rank)
    const { le: end, value: until } = sorted[at] ?? { le: NaN, value: NaN }
    const { le: start, value: from } = sorted[at - 1] ?? { le: 0, value: 0 }
    const value = end === Infinity ? start : start + ((end - start) * (rank - from)) / (until - from)
    return { labels: without(group[0]?.labels ?? {}, 'le'), value }
  })
}

function aggregate({ args, by, name }: Of<'sum'>, scrapes: Scrapes): Vector {
  if (name === 'topk') {
    const [count, of] = args
    assert(count !== undefined && of !== undefined, 'topk has a count and a vector')
    const sorted = vectorOf(evaluate(of, scrapes)).toSorted((one, other) => other.value - one.value)
    return sorted.slice(0, numberOf(evaluate(count, scrapes)))
  }
  const [of] = args
  assert(of !== undefined && args.length === 1, `${name} has one vector`)
  const kept = (labels: Labels): Labels =>
    Object.fromEntries(by.flatMap((label) => (label in labels ? [[label, labels[label] ?? '']] : [])))
  const groups = Map.groupBy(vectorOf(evaluate(of, scrapes)), ({ labels }) => seriesKey(kept(labels)))
  return [...groups.values()].map((group) => {
    const values = group.map(({ value }) => value)
    const sum = values.reduce((total, value) => total + value, 0)
    const results = {
      sum,
      max: Math.max(...values),
      min: Math.min(...values),
      avg: sum / values.length,
      count: values.length,
    }
    return { labels: kept(group[0]?.labels ?? {}), value: results[name as keyof typeof results] }
  })
}

function combine(operator: string, left: Vector | number, right: Vector | number): Vector | number {
  if (operator === 'or' || operator === 'and') return sets(operator, vectorOf(left), vectorOf(right))
  if (typeof left === 'number' && typeof right === 'number') return arithmetic(operator, left, right)
  const isComparison = operator in comparisons
  const of = (labels: Labels, one: number, other: number): Vector => {
    if (!isComparison) return [{ labels, value: arithmetic(operator, one, other) }]
    // A comparison removes the values for which it is false.
    return comparisons[operator]?.(one, other) === true ? [{ labels, value: one }] : []
  }
  if (typeof left === 'number') return vectorOf(right).flatMap(({ labels, value }) => of(labels, left, value))
  if (typeof right === 'number') return left.flatMap(({ labels, value }) => of(labels, value, right))
  return left.flatMap(({ labels, value }) => {
    const others = right.filter((other) => seriesKey(other.labels) === seriesKey(labels))
    assert(others.length <= 1, 'a series fits several of the other side')
    return others.flatMap((other) => of(labels, value, other.value))
  })
}

function sets(operator: 'or' | 'and', left: Vector, right: Vector): Vector {
  const keys = (vector: Vector): Set<string> => new Set(vector.map(({ labels }) => seriesKey(labels)))
  if (operator === 'and') return left.filter(({ labels }) => keys(right).has(seriesKey(labels)))
  return [...left, ...right.filter(({ labels }) => !keys(left).has(seriesKey(labels)))]
}

const comparisons: Readonly<Record<string, (one: number, other: number) => boolean>> = {
  '==': (one, other) => one === other,
  '!=': (one, other) => one !== other,
  '>': (one, other) => one > other,
  '<': (one, other) => one < other,
  '>=': (one, other) => one >= other,
  '<=': (one, other) => one <= other,
}

function arithmetic(operator: string, one: number, other: number): number {
  if (operator === '+') return one + other
  if (operator === '-') return one - other
  if (operator === '*') return one * other
  assert.equal(operator, '/', `the operator ${operator} is not known`)
  return one / other
}

function vectorOf(value: Vector | number): Vector {
  assert(typeof value !== 'number', 'a vector is expected, and a number is there')
  return value
}

function numberOf(value: Vector | number): number {
  assert(typeof value === 'number', 'a number is expected, and a vector is there')
  return value
}

function without(labels: Labels, name: string): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([label]) => label !== name))
}
