import { complaint, Complaints, type Complaint } from '#simulator/complaint.ts'
import { foreignField } from '#simulator/fields.ts'
import { isWhole, objectOf, objectsOf, stringOf, type JsonObject } from '#simulator/loose-json.ts'
import { InputCount, type SimulatedRequest } from '#simulator/request.ts'
import { openSeal } from '#simulator/signatures.ts'
import { checkRange, forcedTool, jsonWordFault, schemaOf, toolsOf } from './openai.ts'

/** A responses or input_tokens request, or what OpenAI would refuse it for (wire.md 4.1). */
export function readResponses(body: JsonObject): SimulatedRequest | Complaint {
  const { model, input, max_output_tokens: max = null } = body
  if (typeof model !== 'string') {
    return complaint("Missing required parameter: 'model'.", {
      param: 'model',
      code: 'missing_required_parameter',
    })
  }
  if (typeof input !== 'string' && !(Array.isArray(input) && input.length > 0)) {
    return complaint("Missing required parameter: 'input'.", {
      param: 'input',
      code: 'missing_required_parameter',
    })
  }
  if (max !== null && !isWhole(max)) {
    return complaint("Invalid 'max_output_tokens': expected an integer of at least 1.", {
      param: 'max_output_tokens',
    })
  }
  const complaints = new Complaints()
  const foreign = foreignField('responses', body)
  complaints.unless(foreign === null, `Unknown parameter: '${foreign}'.`, {
    param: foreign,
    code: 'unknown_parameter',
  })
  const previous = body['previous_response_id'] ?? null
  complaints.unless(previous === null, `Previous response with id '${stringOf(previous)}' not found.`, {
    param: 'previous_response_id',
    code: 'previous_response_not_found',
  })
  checkRange(body, 'temperature', [0, 2], complaints)
  checkRange(body, 'top_p', [0, 1], complaints)
  const items: readonly JsonObject[] =
    typeof input === 'string' ? [{ role: 'user', content: input }] : objectsOf(input)
  checkItems(items, complaints)
  const format = objectOf(objectOf(body['text'])['format'])
  const schema = schemaOf(format, 'text.format', complaints)
  if (format['type'] === 'json_object') {
    const fault = jsonWordFault([body['instructions'], input], 'input')
    complaints.unless(fault === null, fault ?? '', { param: 'input' })
  }
  const definitions = objectsOf(body['tools'])
  for (const [index, tool] of definitions.entries()) {
    complaints.unless(!('function' in tool), `Missing required parameter: 'tools[${index}].name'.`, {
      param: `tools[${index}].name`,
      code: 'missing_required_parameter',
    })
  }
  const tools = toolsOf(definitions, complaints)
  const forced = forcedTool(body['tool_choice'], tools, complaints)
  if (complaints.first) return complaints.first

  const lastUser = items.findLastIndex(({ role }) => role === 'user')
  const reasoning = objectOf(body['reasoning'])
  const include: unknown[] = Array.isArray(body['include']) ? body['include'] : []
  return {
    model,
    isStream: body['stream'] === true,
    isUsageWanted: true,
    outputTokensMax: max,
    choices: 1,
    stops: [],
    inputTokens: inputTokensOf(body, items),
    userText: textOf(items[lastUser]?.['content']),
    isAfterTools: items.slice(lastUser + 1).some(({ type }) => stringOf(type).endsWith('_output')),
    seed: null,
    tools,
    forcedTool: forced,
    mayCallSeveral: body['parallel_tool_calls'] !== false,
    schema,
    reasoning: {
      isOff: reasoning['effort'] === 'none',
      isShown: (reasoning['summary'] ?? null) !== null,
      isSealed: include.includes('reasoning.encrypted_content'),
    },
    body,
  }
}

/** Every call has its output and every output its call; thoughts are sealed and stand before what they led to. */
function checkItems(items: readonly JsonObject[], complaints: Complaints): void {
  const calls = new Set<string>()
  const outputs = new Set<string>()
  for (const [index, item] of items.entries()) {
    const { type = 'message', role } = item
    const kind = stringOf(type)
    const id = stringOf(item['call_id'])
    switch (kind) {
      case 'message':
        complaints.unless(
          messageRoles.has(stringOf(role)),
          `Invalid value: '${String(role)}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`,
          { param: `input[${index}].role`, code: 'invalid_value' },
        )
        checkContent(item, `input[${index}].content`, complaints)
        break
      case 'function_call':
      case 'custom_tool_call': {
        const field = kind === 'function_call' ? 'arguments' : 'input'
        complaints.unless(
          id !== '' && id.length <= 64 && stringOf(item['name']) !== '' && typeof item[field] === 'string',
          `Invalid type for 'input[${index}].${field}': expected a string.`,
          { param: `input[${index}].${field}`, code: 'invalid_type' },
        )
        complaints.unless(!calls.has(id), `Duplicate call_id '${id}' found in input items.`)
        calls.add(id)
        break
      }
      case 'function_call_output':
      case 'custom_tool_call_output':
        complaints.unless(
          calls.has(id) && !outputs.has(id),
          `No tool call found for function call output with call_id ${id}.`,
          { param: 'input' },
        )
        outputs.add(id)
        break
      case 'reasoning':
        checkReasoning(item, items[index + 1], index, complaints)
        break
      case 'item_reference':
        complaints.unless(false, `Item with id '${String(item['id'])}' not found.`, { param: 'input' })
        break
      default:
        // Items of hosted tools, which the simulator has none of, are let be.
        complaints.unless(kind !== '', `Missing required parameter: 'input[${index}].type'.`)
    }
  }
  const open = [...calls].find((id) => !outputs.has(id))
  complaints.unless(open === undefined, `No tool output found for function call ${open}.`, { param: 'input' })
}

const messageRoles = new Set(['user', 'assistant', 'system', 'developer'])

function checkContent({ role, content }: JsonObject, path: string, complaints: Complaints): void {
  complaints.unless(
    typeof content === 'string' || Array.isArray(content),
    `Invalid type for '${path}': expected one of an array of objects or string.`,
    { param: path, code: 'invalid_type' },
  )
  const allowed =
    role === 'assistant'
      ? ['output_text', 'refusal']
      : ['input_text', 'input_image', 'input_file', 'input_audio']
  for (const [index, { type }] of objectsOf(content).entries()) {
    complaints.unless(
      allowed.includes(stringOf(type)),
      `Invalid value: '${String(type)}'. Supported values are: ${allowed.map((name) => `'${name}'`).join(' and ')}.`,
      { param: `${path}[${index}]`, code: 'invalid_value' },
    )
  }
}

function checkReasoning(
  item: JsonObject,
  next: JsonObject | undefined,
  index: number,
  complaints: Complaints,
): void {
  complaints.unless(
    Array.isArray(item['summary']),
    `Missing required parameter: 'input[${index}].summary'.`,
    {
      param: `input[${index}].summary`,
      code: 'missing_required_parameter',
    },
  )
  const sealed = item['encrypted_content'] ?? null
  complaints.unless(
    sealed === null || openSeal('encrypted', sealed) !== null,
    `The encrypted content for item ${stringOf(item['id'])} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
    { code: 'invalid_encrypted_content' },
  )
  const type = stringOf(next?.['type'] ?? 'message')
  const isFollowed =
    next !== undefined && (type.endsWith('_call') || type === 'reasoning' || next['role'] === 'assistant')
  complaints.unless(
    isFollowed,
    `Item '${stringOf(item['id'])}' of type 'reasoning' was provided without its required following item.`,
    { param: 'input' },
  )
}

function inputTokensOf(body: JsonObject, items: readonly JsonObject[]): number {
  const count = new InputCount()
  count.text(stringOf(body['instructions']))
  for (const item of items) {
    count.message()
    for (const content of [item['content'], item['output'], item['summary']]) {
      count.text(textOf(content))
      for (const { type } of objectsOf(content)) {
        if (type === 'input_image' || type === 'input_file') count.image()
      }
    }
    count.text(stringOf(item['arguments']))
    count.text(stringOf(item['input']))
  }
  count.json(body['tools'])
  count.json(objectOf(body['text'])['format'])
  return count.tokens
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return objectsOf(content)
    .map(({ text }) => text)
    .filter((text) => typeof text === 'string')
    .join('\n')
}
