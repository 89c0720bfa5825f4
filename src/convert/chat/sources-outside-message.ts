import { appendAll } from '#convert/append-all.ts'
import type { NeutralEvent } from '#convert/neutral-format.ts'
import { listOf, objectOf, textOrNull, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'

/**
 * Models with a search of their own list their sources in addition to the text (docs/reference/wires.md "Streams on the
 * chat wire"). In responses of Perplexity, `citations` contains addresses, and `search_results` contains addresses with
 * titles. In responses of Groq, the searches in `executed_tools` contain results. Both repeat the lists in later chunks,
 * but each address is returned once.
 */
export class SourcesOutsideMessage {
  readonly #known = new Set<string>()
  /** The titles of the sources that are not returned yet, by their address. */
  #waiting = new Map<string, string | null>()
  #hasFinished = false

  /** @param answer a non-streaming response or a chunk */
  read({ choices, citations, search_results: results }: JsonObject): void {
    this.#addResults(results)
    for (const url of listOf(citations)) this.#add(textOrNull(url), null)
    for (const choice of listOf(choices)) {
      const { delta, message } = objectOf(choice)
      for (const tool of listOf(objectOf(delta ?? message).executed_tools)) {
        const { search_results: found } = objectOf(tool)
        this.#addResults(objectOf(found).results ?? found)
      }
    }
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

  #addResults(results: JsonValue): void {
    for (const result of listOf(results)) {
      const { title, url } = objectOf(result)
      this.#add(textOrNull(url), textOrNull(title))
    }
  }

  #add(url: string | null, title: string | null): void {
    if (!url || this.#known.has(url)) return
    this.#known.add(url)
    this.#waiting.set(url, title)
  }
}
