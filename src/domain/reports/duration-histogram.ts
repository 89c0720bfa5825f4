/**
 * Counts durations in buckets. Below 64 ms, each millisecond has its own bucket. From 64 ms on, each doubling of the
 * duration has 32 buckets. A percentile is the end of its bucket. The result is never too small, and at most a 32nd
 * (3.2 %) too large. Histograms can be added up without loss.
 */
import assert from 'node:assert/strict'

const exactMax = 64
const perDoubling = 32
/** The buckets end at 2^22 ms, which is more than an hour. Longer durations share the last bucket. */
const bucketsMax = exactMax + (22 - 6) * perDoubling

export class Histogram {
  readonly #counts = new Map<number, number>()
  #total = 0

  /** @param ms a duration that is not negative, whole or fractional */
  add(ms: number, count = 1): void {
    this.#count(bucketOf(ms), count)
  }

  merge(other: Histogram): void {
    for (const [bucket, count] of other.#counts) this.#count(bucket, count)
  }

  /**
   * Returns the percentile by nearest rank. The counts of the buckets are added up from the shortest durations. The
   * result is the end of the bucket at which the sum reaches `percent` of all durations. Null if the histogram is
   * empty.
   */
  percentile(percent: number): number | null {
    if (this.#total === 0) return null
    let left = Math.ceil((this.#total * percent) / 100)
    for (const bucket of [...this.#counts.keys()].toSorted((one, other) => one - other)) {
      left -= this.#counts.get(bucket) ?? 0
      if (left <= 0) return endOf(bucket)
    }
    return null
  }

  /** Returns a JSON list that alternates between the index of a bucket and the count of the bucket. */
  toText(): string {
    return JSON.stringify([...this.#counts].flat())
  }

  static fromText(text: string): Histogram {
    const json: unknown = JSON.parse(text)
    assert(Array.isArray(json) && json.length % 2 === 0, 'a histogram is buckets and counts in turn')
    const histogram = new Histogram()
    for (let i = 0; i < json.length; i += 2) histogram.#count(Number(json[i]), Number(json[i + 1]))
    return histogram
  }

  #count(bucket: number, count: number): void {
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + count)
    this.#total += count
  }
}

function bucketOf(ms: number): number {
  const whole = Math.max(0, Math.round(ms))
  if (whole < exactMax) return whole
  const doubling = 31 - Math.clz32(Math.min(whole, 2 ** 31 - 1))
  const step = Math.floor((whole - 2 ** doubling) / 2 ** (doubling - 5))
  return Math.min(bucketsMax - 1, exactMax + (doubling - 6) * perDoubling + step)
}

function endOf(bucket: number): number {
  if (bucket < exactMax) return bucket
  const doubling = 6 + Math.floor((bucket - exactMax) / perDoubling)
  const step = (bucket - exactMax) % perDoubling
  return 2 ** doubling + (step + 1) * 2 ** (doubling - 5) - 1
}
