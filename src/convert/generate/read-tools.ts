import { isObject, objectOf, textOrNull, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import type { Tool, ToolChoice } from '#convert/neutral-format.ts'
import { refuseVendorTool } from '#convert/capabilities/parts-without-neutral-form.ts'
import { refuse } from '#wire/wire-request.ts'
import { camelKeys, listOrOne } from '#wire/generate/fields-in-either-spelling.ts'
import { schemaFromGenerate } from './json-schema-from-google-schema.ts'

/** The gateway has already removed the tools that the provider runs. */
export function readTools(tools: JsonValue): readonly Tool[] {
  return listOrOne(tools).flatMap((tool, i) => {
    const given = camelKeys(objectOf(tool))
    if (isObject(given.computerUse)) refuseVendorTool(`tools.${i}.computerUse`, 'computerUse', 'computer')
    return listOrOne(given.functionDeclarations).map((declared): Tool => {
      const declaration = camelKeys(objectOf(declared))
      const name = textOrNull(declaration.name)
      if (!name) refuse('invalid_request', `tools.${i}.functionDeclarations`, 'A function must have a name.')
      return {
        name,
        description: textOrNull(declaration.description),
        parameters: parametersOf(declaration),
        isStrict: null,
        custom: null,
        cache: null,
      }
    })
  })
}

function parametersOf({ parametersJsonSchema, parameters }: JsonObject): JsonObject | null {
  if (isObject(parametersJsonSchema)) return parametersJsonSchema
  return isObject(parameters) ? schemaFromGenerate(parameters) : null
}

/** Other wires have no field for the schema of a function's response. */
export function lostFieldsOfTools(tools: JsonValue): readonly string[] {
  const declared = listOrOne(tools)
    .flatMap((tool) => listOrOne(camelKeys(objectOf(tool)).functionDeclarations))
    .map((declaration) => camelKeys(objectOf(declaration)))
  return ['response', 'responseJsonSchema']
    .filter((field) => declared.some((declaration) => isObject(declaration[field])))
    .map((field) => `tools.functionDeclarations.${field}`)
}

/** `VALIDATED` selects no tool, because it means `AUTO` with arguments that match their schema. */
export function readToolChoice(toolConfig: JsonValue): ToolChoice | null {
  const config = camelKeys(objectOf(camelKeys(objectOf(toolConfig)).functionCallingConfig))
  const mode = textOrNull(config.mode)?.toUpperCase()
  const names = listOrOne(config.allowedFunctionNames).filter((name) => typeof name === 'string')
  if (mode === 'NONE') return { kind: 'none' }
  const isRequired = mode === 'ANY'
  const [only] = names
  if (isRequired && only !== undefined && names.length === 1) return { kind: 'one', name: only }
  if (names.length > 0) return { kind: 'subset', names, isRequired }
  if (isRequired) return { kind: 'required' }
  return mode === 'AUTO' || mode === 'VALIDATED' ? { kind: 'auto' } : null
}
