import type { Complaints } from '#simulator/complaint.ts'
import { isObject, objectOf, stringOf, type JsonObject } from '#simulator/loose-json.ts'
import { openSeal } from '#simulator/signatures.ts'

/** What stands for a signature that was lost on the way (wire.md 8). */
/**
 * Words that Google documents for a call without a signature, as they are and as the bytes that typed clients
 * take them for (pydantic-ai and LiteLLM send the first so).
 */
const dummies: ReadonlySet<unknown> = new Set(
  ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'].flatMap((word) => [
    word,
    Buffer.from(word).toString('base64'),
    Buffer.from(word).toString('base64url'),
  ]),
)

/** Starts the ids of calls that were signed, which tells a call that lost its signature from one that had none. */
export const signedCallPrefix = 'sig_'

/** What one side says until the other one does. */
export interface Turn {
  readonly role: string
  readonly parts: readonly JsonObject[]
}

/** Calls, responses and signatures stand where Google wants them. */
export function checkTurns(turns: readonly Turn[], complaints: Complaints): void {
  let open: string[] = []
  for (const [index, { role, parts }] of turns.entries()) {
    complaints.unless(roles.has(role), 'Please use a valid role: user, model.')
    complaints.unless(
      parts.length > 0,
      `* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.`,
    )
    for (const [at, part] of parts.entries()) checkPart(part, `contents[${index}].parts[${at}]`, complaints)

    const responses = parts.map(responseOf).filter((response) => response !== null)
    complaints.unless(
      responses.length === open.length,
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    )
    for (const [at, { name }] of responses.entries()) {
      const isCalled = open.includes(stringOf(name))
      complaints.unless(
        isCalled,
        `* GenerateContentRequest.contents[${index}].parts[${at}].function_response.name: ${stringOf(name) === '' ? 'Name cannot be empty.' : 'there is no function call of that name.'}`,
      )
    }
    const calls = parts.map(callOf).filter((call) => call !== null)
    const before = turns[index - 1]
    complaints.unless(
      calls.length === 0 || before?.role === 'user' || before?.role === 'function',
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    )
    complaints.unless(role === 'model' || calls.length === 0, 'Function calls are made by the model.')
    checkSignatures(parts, complaints)
    open = calls.map(({ name }) => stringOf(name))
  }
  complaints.unless(
    open.length === 0,
    'Please ensure that function response turn comes immediately after a function call turn.',
  )
}

const roles = new Set(['user', 'model', 'function'])

function checkPart(part: JsonObject, path: string, complaints: Complaints): void {
  const data = Object.keys(part).filter((name) => partData.has(name))
  complaints.unless(
    data.length === 1,
    `* GenerateContentRequest.${path}.data: required oneof field 'data' must have one initialized field`,
  )
  const call = callOf(part)
  if (call) {
    complaints.unless(stringOf(call['name']) !== '', `* ${path}.function_call.name: Name cannot be empty.`)
    const { args = {} } = call
    complaints.unless(
      isObject(args),
      `Invalid value at '${path}.function_call.args' (type.googleapis.com/google.protobuf.Struct)`,
    )
  }
  const response = responseOf(part)
  if (response) {
    complaints.unless(
      isObject(response['response']),
      `Invalid value at '${path}.function_response.response' (type.googleapis.com/google.protobuf.Struct)`,
    )
  }
  const inline = eitherOf(part, 'inlineData', 'inline_data')
  if (inline !== undefined) {
    const type = eitherOf(objectOf(inline), 'mimeType', 'mime_type')
    complaints.unless(
      /^(image|audio|video|text|application)\/[\w.+-]+$/.test(stringOf(type)),
      `Unsupported MIME type: ${stringOf(type)}`,
    )
  }
}

/** Of these a part has one; what else it has says something about it. */
const partData = new Set([
  'text',
  'inlineData',
  'inline_data',
  'fileData',
  'file_data',
  'functionCall',
  'function_call',
  'functionResponse',
  'function_response',
  'executableCode',
  'codeExecutionResult',
])

/** Each seal is one of ours, and calls that were made under one are not given back without. */
function checkSignatures(parts: readonly JsonObject[], complaints: Complaints): void {
  for (const part of parts) {
    const seal = signatureOf(part)
    complaints.unless(
      seal === undefined || dummies.has(seal) || openSeal('thought', seal) !== null,
      'Thought signature is not valid.',
    )
  }
  const calls = parts.filter((part) => callOf(part) !== null)
  const isSigned = calls.some((part) => stringOf(callOf(part)?.['id']).startsWith(signedCallPrefix))
  // Of calls made together the first carries the signature of them all.
  const [first = {}] = calls
  complaints.unless(
    !isSigned || signatureOf(first) !== undefined,
    'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance.',
  )
}

function signatureOf(part: JsonObject): unknown {
  return eitherOf(part, 'thoughtSignature', 'thought_signature')
}

export function callOf(part: JsonObject): JsonObject | null {
  const call = eitherOf(part, 'functionCall', 'function_call')
  return isObject(call) ? call : null
}

export function responseOf(part: JsonObject): JsonObject | null {
  const response = eitherOf(part, 'functionResponse', 'function_response')
  return isObject(response) ? response : null
}

/** Google reads both spellings of every name, and the Python client sends the second. */
export function eitherOf(object: JsonObject, camel: string, snake: string): unknown {
  return object[camel] ?? object[snake]
}
