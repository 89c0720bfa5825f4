import { textOrNull, type JsonObject } from '#wire/text/json-values.ts'
import type { Tool } from '#convert/neutral-format.ts'

/**
 * Returns the function that replaces the client's computer tool at other vendors (docs/reference/conversions.md
 * "Computer tools"). The arguments of the function are the input of the client's own tool, so calls and their history
 * need no conversion. Null for a version of the computer tool whose actions are not known.
 */
export function functionOfComputer(computer: JsonObject): Pick<Tool, 'description' | 'parameters'> | null {
  const version = actionsOfVersions.get(textOrNull(computer.type) ?? '')
  if (version === undefined) return null
  const actions = computer.enable_zoom === true ? version : version.filter((action) => action !== 'zoom')
  const { display_width_px: width, display_height_px: height, display_number: display } = computer
  const sentences = [
    'Uses the mouse and keyboard of a computer and takes screenshots.',
    typeof width === 'number' && typeof height === 'number' && `The display has ${width} x ${height} pixels.`,
    typeof display === 'number' && `Its number in X11 is ${display}.`,
    'Coordinates are pixels from the top left corner, as [x, y].',
  ]
  return {
    description: sentences.filter((sentence) => sentence !== false).join(' '),
    parameters: {
      type: 'object',
      properties: { action: { type: 'string', enum: actions }, ...fieldsOf(actions) },
      required: ['action'],
    },
  }
}

const actionsOf2024 = [
  'key',
  'type',
  'mouse_move',
  'left_click',
  'left_click_drag',
  'right_click',
  'middle_click',
  'double_click',
  'screenshot',
  'cursor_position',
]
const actionsOf2025 = [
  ...actionsOf2024,
  'left_mouse_down',
  'left_mouse_up',
  'scroll',
  'hold_key',
  'wait',
  'triple_click',
]

/** See docs/reference/wires.md "Computer tools". */
const actionsOfVersions: ReadonlyMap<string, readonly string[]> = new Map([
  ['computer_20241022', actionsOf2024],
  ['computer_20250124', actionsOf2025],
  ['computer_20251124', [...actionsOf2025, 'zoom']],
])

function fieldsOf(actions: readonly string[]): JsonObject {
  return {
    coordinate: integers(2, 'Where to act.'),
    text: {
      type: 'string',
      description:
        'Text to type, or keys by their names in xdotool (ctrl+s) to press, or to hold in a click.',
    },
    ...(actions.includes('scroll') && {
      start_coordinate: integers(2, 'Where left_click_drag starts.'),
      scroll_direction: { type: 'string', enum: ['up', 'down', 'left', 'right'] },
      scroll_amount: { type: 'integer', description: 'Steps of the wheel.' },
      duration: { type: 'number', description: 'Seconds of hold_key or wait.' },
    }),
    ...(actions.includes('zoom') && {
      region: integers(4, 'What zoom shows: x and y of its top left and bottom right corners.'),
    }),
  }
}

function integers(count: number, description: string): JsonObject {
  return { type: 'array', items: { type: 'integer' }, minItems: count, maxItems: count, description }
}
