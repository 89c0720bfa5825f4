import type { HourPart, HourRows, HoursAsked } from '#store/sql/hour-sums-interface.ts'
import type { PeekedHours } from './hour-sums-of-ended-calls.ts'

/** The sums of a writer, on the thread where the writer runs (hour-sums-of-ended-calls.ts). */
export interface SumsOfHours {
  take(throughHour: number): Promise<readonly HourPart[]>
  peek(asked: HoursAsked): Promise<PeekedHours>
}

/**
 * Joins the current writer's sums with the sums of calls from before the start, and of calls that a writer on another
 * thread ended before the writer moved. An hour can therefore have several parts.
 */
export class JoinedHours implements SumsOfHours {
  readonly #current: SumsOfHours
  #earlier: readonly HourPart[] = []
  /** Resolves when the sums of all earlier writers have arrived. */
  #arrival: Promise<void> = Promise.resolve()
  #takenHour: number | null = null

  constructor(current: SumsOfHours) {
    this.#current = current
  }

  /** The last hour whose sums were taken. Null if no sums were taken. */
  get takenHour(): number | null {
    return this.#takenHour
  }

  add(parts: readonly HourPart[]): void {
    this.#earlier = [...this.#earlier, ...parts]
  }

  /**
   * Call this function in the turn in which another writer becomes the current one.
   * @param onLost called if the promise rejects
   */
  addLater(parts: Promise<readonly HourPart[]>, onLost: () => void): void {
    this.#arrival = this.#addAfter(this.#arrival, parts).catch(onLost)
  }

  async #addAfter(previous: Promise<void>, parts: Promise<readonly HourPart[]>): Promise<void> {
    const [arrived] = await Promise.all([parts, previous])
    this.add(arrived)
  }

  /** The parts of an hour that has several parts become one part without rows, so the hour's calls must be read. */
  async take(throughHour: number): Promise<readonly HourPart[]> {
    await this.#arrived()
    const earlier = this.#earlier.filter(({ hour }) => hour <= throughHour)
    this.#earlier = this.#earlier.filter(({ hour }) => hour > throughHour)
    this.#takenHour = Math.max(throughHour, this.#takenHour ?? throughHour)
    const parts = [...earlier, ...(await this.#current.take(throughHour))]
    const found = new Map<string, HourPart>()
    for (const part of parts) {
      const name = nameOf(part)
      found.set(name, found.has(name) ? { ...part, rows: null } : part)
    }
    return [...found.values()]
  }

  async peek(asked: HoursAsked): Promise<PeekedHours> {
    await this.#arrived()
    const takenHour = this.#takenHour
    const earlier = this.#earlier
      .filter(({ applicationId, mode }) => applicationId === asked.applicationId && mode === asked.mode)
      .map((part) => ({ ...part, rows: part.rows && only(part.rows, asked.kind) }))
    const { parts } = await this.#current.peek(asked)
    const all = [...earlier, ...parts]
    const incomplete = new Set(all.filter(({ rows }) => rows === null).map(({ hour }) => hour))
    return {
      parts: [
        ...all.filter(({ hour }) => !incomplete.has(hour)),
        ...Array.from(incomplete, (hour) => ({
          applicationId: asked.applicationId,
          mode: asked.mode,
          hour,
          rows: null,
        })),
      ],
      takenHour,
    }
  }

  async #arrived(): Promise<void> {
    let arrival: Promise<void>
    do {
      arrival = this.#arrival
      // oxlint-disable-next-line no-await-in-loop -- the writer may have moved again in between
      await arrival
    } while (arrival !== this.#arrival)
  }
}

function nameOf({ applicationId, hour, mode }: HourPart): string {
  return `${hour} ${mode} ${applicationId}`
}

function only(rows: HourRows, kind: keyof HourRows): HourRows {
  return { calls: [], targets: [], runs: [], tags: [], [kind]: rows[kind] }
}
