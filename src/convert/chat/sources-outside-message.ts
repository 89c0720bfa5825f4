import { appendAll } from '#convert/append-all.ts'
import type { NeutralEvent } from '#convert/neutral-format.ts'
import { listOf, objectOf, textOrNull, type JsonObject } from '#wire/text/json-values.ts'

/**
 * Models with a search of their own, such as Perplexity's, list their sources outside the message. `citations` contains
 * addresses, and `search_results` contains addresses with titles (docs/reference/wires.md "Streams on the chat wire").
 * Perplexity repeats the lists in each chunk, but each address is returned once.
 */
export class SourcesOutsideMessage {
  readonly #known = new Set<string>()
  /** The titles of the sources that are not returned yet, by their address. */
  #waiting = new Map<string, string | null>()
  #hasFinished = false

  read({ citations, search_results: results }: JsonObject): void {
    for (const result of listOf(results)) {
      const { title, url } = objectOf(result)
      this.#add(textOrNull(url), textOrNull(title))
    }
    for (const url of listOf(citations)) this.#add(textOrNull(url), null)
  }

  /** Adds the sources to the events of the first choice, before its finish, or after the last events of the choice. */
  addTo(events: NeutralEvent[]): void {
    for (const event of events) {
      if (event.kind !== 'citation') continue
      this.#waiting.delete(event.citation.url)
      this.#known.add(event.citation.url)
    }
    const at = events.findIndex(({ kind }) => kind === 'finish')
    this.#hasFinished ||= at >= 0
    if (!this.#hasFinished || this.#waiting.size === 0) return
    const sources = [...this.#waiting].map(([url, title]): NeutralEvent => {
      return { kind: 'citation', choice: 0, citation: { url, title, start: null, end: null } }
    })
    const after = at < 0 ? [] : events.splice(at)
    appendAll(events, sources)
    appendAll(events, after)
    this.#waiting = new Map()
  }

  #add(url: string | null, title: string | null): void {
    if (!url || this.#known.has(url)) return
    this.#known.add(url)
    this.#waiting.set(url, title)
  }
}
