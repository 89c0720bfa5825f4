import { after, inside, kindOf, kinds, member } from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { spanOf, textAt } from '#wire/request.ts'
import type { Span } from '#wire/request.ts'

/**
 * Where a message, or what a stream says at its end, names the model that answers: the client shall find
 * the name there that it has asked for.
 * @param answering the provider's name for it, where another part of the answer has it
 */
export function modelPlaces(json: Json, message: Node, usage: Node, answering: string | null): Span[] {
  const places: Node[] = []
  const model = member(json, message, 'model')
  if (model >= 0) places.push(model)
  const name = textAt(json, model) ?? answering
  const details = member(json, message, 'stop_details')
  // A refusal recommends a model; another one than this is not ours to rename.
  const recommended = details < 0 ? -1 : member(json, details, 'recommended_model')
  if (recommended >= 0 && name !== null && textAt(json, recommended) === name) places.push(recommended)
  const iterations = usage < 0 ? -1 : member(json, usage, 'iterations')
  if (iterations >= 0 && kindOf(json, iterations) === kinds.array) {
    for (let one = inside(iterations), end = after(json, iterations); one < end; one = after(json, one)) {
      const ran = member(json, one, 'model')
      if (ran >= 0 && textAt(json, ran) !== null) places.push(ran)
    }
  }
  return places.map((place) => spanOf(json, place))
}
