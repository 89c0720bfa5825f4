import type { Usage } from '#money/usage-counts.ts'
import { kindOf, kinds, member, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf } from '#wire/text/members-of-tape-nodes.ts'
import { textAt } from '#wire/wire-request.ts'

/** Frames may repeat the metadata of earlier frames, so searches and pages are identified by their texts. */
export class Grounding {
  readonly #queries = new Set<string>()
  readonly #pages = new Set<string>()
  #programs = 0

  /** All pages that Google has fetched together count as one use. */
  get uses(): number {
    return this.#queries.size + Math.min(1, this.#pages.size) + this.#programs
  }

  add(json: Json, candidates: readonly Node[], parts: readonly Node[]): void {
    for (const candidate of candidates) {
      const grounding = member(json, candidate, 'groundingMetadata')
      if (isObjectAt(json, grounding)) for (const name of queryLists) this.#addQueries(json, grounding, name)
      const fetched = member(json, candidate, 'urlContextMetadata')
      if (isObjectAt(json, fetched))
        for (const page of itemsOf(json, member(json, fetched, 'urlMetadata')))
          this.#pages.add(textAt(json, member(json, page, 'retrievedUrl')) ?? '')
    }
    for (const part of parts)
      if (isObjectAt(json, part) && member(json, part, 'executableCode') >= 0) this.#programs++
  }

  /** Google bills every query for Gemini 3 and later models, and one search per request for earlier models. */
  withSearches(usage: Usage, model: string | null): Usage {
    const queries = this.#queries.size
    if (queries === 0) return usage
    return { ...usage, webSearches: model !== null && billsRequest.test(model) ? 1 : queries }
  }

  #addQueries(json: Json, grounding: Node, name: string): void {
    for (const query of itemsOf(json, member(json, grounding, name))) {
      const text = textAt(json, query) ?? ''
      // Google does not bill empty queries.
      if (text !== '') this.#queries.add(`${name} ${text}`)
    }
  }
}

const queryLists = ['webSearchQueries', 'imageSearchQueries'] as const
const billsRequest = /^gemini-[12]\./

function isObjectAt(json: Json, node: Node): boolean {
  return node >= 0 && kindOf(json, node) === kinds.object
}
