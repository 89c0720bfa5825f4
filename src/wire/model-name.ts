import { endOf, kindOf, kinds, startOf, stringAt, type Json, type Node } from '#wire/text/json-tape.ts'
import { mustBe, refuse } from './wire-request.ts'

/** The requested name is logged, stored and quoted, so its length is limited. */
export const modelLengthMax = 128

export function modelAt(json: Json, node: Node): string {
  // A string of 1,024 bytes is too long even if each character is an escape of six bytes.
  if (node >= 0 && kindOf(json, node) === kinds.string && endOf(json, node) - startOf(json, node) < 1024) {
    const model = stringAt(json, node)
    if (model.length <= modelLengthMax) return model
  }
  mustBe('model', `a string of at most ${modelLengthMax} characters: the name of a model of this application`)
}

/** @param form the documented form of the path, for the error */
export function modelInPath(model: string | null, form: string): string {
  if (model !== null && model !== '' && model.length <= modelLengthMax) return model
  refuse(
    'invalid_request',
    'model',
    `The path must be ${form} with the name of a model of this application, of at most ${modelLengthMax} characters.`,
  )
}
