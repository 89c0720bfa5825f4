import { parseObject, printValue, textOrNull } from '#wire/text/json-values.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import { compact } from '#convert/request-fields-of-openai-wires.ts'
import type { Tool } from '#convert/neutral-format.ts'

/**
 * Returns the function that replaces the client's computer tool at other vendors (docs/reference/conversions.md
 * "Computer tools"). The arguments of the function are the actions of the client's own tool, so actions are copied and never
 * translated. Null if the type of the computer tool is not known.
 */
export function functionOfComputer(computer: JsonObject): Pick<Tool, 'description' | 'parameters'> | null {
  const field = actionFields.get(textOrNull(computer.type) ?? '')
  if (field === undefined) return null
  const { environment, display_width: width, display_height: height } = computer
  const sentences = [
    'Uses the mouse and keyboard of a computer and returns a screenshot.',
    typeof environment === 'string' && `The environment is ${environment}.`,
    typeof width === 'number' && typeof height === 'number' && `The display has ${width} x ${height} pixels.`,
    'Coordinates are pixels from the top left corner of the screenshot. Scroll distances are pixels.',
  ]
  const value = field === 'action' ? anyAction : { type: 'array', items: anyAction, minItems: 1 }
  return {
    description: sentences.filter((sentence) => sentence !== false).join(' '),
    parameters: { type: 'object', properties: { [field]: value }, required: [field] },
  }
}

/** A call of the preview tool has one action, and a call of its successor has several. */
const actionFields: ReadonlyMap<string, 'action' | 'actions'> = new Map([
  ['computer_use_preview', 'action'],
  ['computer', 'actions'],
])

/** @param held the field for keys that are held down during the action */
function action(types: readonly string[], fields: JsonObject = {}, held: JsonObject = {}): JsonObject {
  return {
    type: 'object',
    properties: { type: { type: 'string', enum: types }, ...fields, ...held },
    required: ['type', ...Object.keys(fields)],
  }
}

const integer = { type: 'integer' }
const point = { x: integer, y: integer }
const keys = { keys: { type: 'array', items: { type: 'string' } } }
const button = { type: 'string', enum: ['left', 'right', 'wheel', 'back', 'forward'] }
const path = { type: 'array', items: { type: 'object', properties: point, required: ['x', 'y'] } }

/** See docs/reference/wires.md "Computer tools". */
const anyAction = {
  anyOf: [
    action(['click'], { button, ...point }, keys),
    action(['double_click', 'move'], point, keys),
    action(['drag'], { path }, keys),
    action(['scroll'], { ...point, scroll_x: integer, scroll_y: integer }, keys),
    action(['keypress'], keys),
    action(['type'], { text: { type: 'string' } }),
    action(['screenshot', 'wait']),
  ],
}

/** Null if the call has no actions. */
export function argumentsOfCall({ action: one, actions }: JsonObject): string | null {
  const fields = compact({ action: one, actions })
  return Object.keys(fields).length > 0 ? printValue(fields) : null
}

/** If the model wrote no actions, the computer call has no actions. */
export function actionsOfCall(computer: JsonObject, text: string): JsonObject {
  const field = actionFields.get(textOrNull(computer.type) ?? '') ?? 'actions'
  return compact({ [field]: parseObject(text)?.[field] })
}
