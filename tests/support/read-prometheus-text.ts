/** Reads Prometheus' text format (docs/reference/telemetry.md "Text format of metrics"), sample by sample. */
import assert from 'node:assert/strict'
import parsePrometheusTextFormat from 'parse-prometheus-text-format'

export type Labels = Readonly<Record<string, string>>

export interface Sample {
  readonly name: string
  readonly labels: Labels
  readonly value: number
}

export interface Scraped {
  readonly types: ReadonlyMap<string, string>
  readonly samples: readonly Sample[]
}

/**
 * Reads a scrape line by line, and checks the result against another parser. The other parser must read the same
 * families and values, except for histograms, whose series it combines.
 */
export function readScrape(text: string): Scraped {
  const types = new Map<string, string>()
  const samples: Sample[] = []
  for (const line of text.split('\n')) {
    const [, name = '', type = ''] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? []
    if (name !== '') {
      assert(!types.has(name), `${name} is there twice`)
      types.set(name, type)
    }
    if (line === '' || line.startsWith('#')) continue
    samples.push(sampleOf(line))
  }
  const others = parsePrometheusTextFormat(text)
  assert.deepEqual(new Map(others.map(({ name, type }) => [name, type.toLowerCase()])), types)
  for (const { metrics, name, type } of others) {
    if (type === 'HISTOGRAM') continue
    const own = samples.filter((sample) => sample.name === name)
    const theirs = metrics.map(({ labels = {}, value }) => ({ name, labels, value: Number(value) }))
    assert.deepEqual(theirs, own)
  }
  const texts = samples.map(({ labels, name }) => `${name} ${seriesKey(labels)}`)
  assert.equal(new Set(texts).size, texts.length, 'a series is there twice')
  return { types, samples }
}

function sampleOf(line: string): Sample {
  const groups = /^(?<name>[a-zA-Z_:][\w:]*)(?:\{(?<labels>.*)\})? (?<value>\S+)$/.exec(line)?.groups
  assert(groups, `a line of a scrape is no sample: ${line}`)
  const labels = Object.fromEntries(
    [...(groups.labels ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"(?:,|$)/g)].map(
      ([, label = '', text = '']) => [
        label,
        text.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped)),
      ],
    ),
  )
  const value = groups.value === '+Inf' ? Infinity : Number(groups.value)
  return { name: groups.name ?? '', labels, value }
}

/** Returns a key that is the same for the same labels in any order. */
export function seriesKey(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** Null if no sample has the given labels. */
export function valueOf({ samples }: Scraped, name: string, labels: Labels = {}): number | null {
  const found = samples.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )
  return found.length === 0 ? null : found.reduce((sum, { value }) => sum + value, 0)
}
