import { refuseUncoveredName } from '#wire/chat/uncovered-cost-fields.ts'
import { countsOf, tokensFromThirds } from '#wire/bound/bound-tokens-of-any-text.ts'
import { noOutput } from '#wire/shared-parsing-of-tasks-without-output.ts'
import { nothingSaid, svcAt } from '#wire/svc-settings-in-requests.ts'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { formParts, formText, formType, type FormPart, type WrittenPart } from '#wire/text/form-parts.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { parseObject } from '#wire/text/json-values.ts'
import {
  detours,
  fault,
  faultOfJson,
  mustBe,
  refuse,
  refuseForRoute,
  refuseTwice,
  textBytesMax,
  textTooLarge,
  unlessRefused,
  type RequestBody,
  type RequestFault,
  type RequestPath,
  type WireRequest,
} from '#wire/wire-request.ts'
import { modelLengthMax } from '#wire/model-name.ts'

export interface Form {
  readonly text: ByteText
  readonly boundary: string
  /** Each entry of a list (`name[]`) is a field of its own. */
  readonly fields: readonly FormPart[]
  readonly files: readonly FormPart[]
}

/**
 * For previews of routes, the body may be JSON, whose members are the fields.
 * @param fileNames parts that must be files
 * @param preview the file for a JSON body, which cannot contain a file
 */
export function formOf(
  body: RequestBody,
  { boundary }: RequestPath,
  fileNames: ReadonlySet<string>,
  preview: WrittenPart,
): Form | RequestFault {
  if (typeof body !== 'string') return notAForm
  const [text, delimiter] = boundary === undefined ? [previewOf(body, preview), 'preview'] : [body, boundary]
  const parts = formParts(text, delimiter)
  if (parts === null) return notAForm
  return unlessRefused(() => ({ text, boundary: delimiter, ...divided(text, parts, fileNames) }))
}

const notAForm = fault(
  'invalid_request',
  null,
  'The body must be a form: parts with a name, separated by the boundary.',
)

function previewOf(body: ByteText, file: WrittenPart): ByteText {
  const fields = Object.entries(parseObject(textOf(body)) ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? [{ name, value: byteTextOf(String(value)) }]
      : [],
  )
  return formText('preview', [...fields, file])
}

/** Rejects repeated fields, files in place of fields, and fields whose cost no hold covers. */
function divided(
  text: ByteText,
  parts: readonly FormPart[],
  fileNames: ReadonlySet<string>,
): Pick<Form, 'fields' | 'files'> {
  const names = new Set<string>()
  for (const { end, filename, name, start } of parts) {
    if (fileNames.has(name) !== (filename !== null)) mustBe(name, filename === null ? 'a file' : 'no file')
    if (names.has(name) && !name.endsWith('[]')) refuseTwice(name)
    names.add(name)
    if (filename !== null) continue
    if (Object.hasOwn(detours, name)) refuseForRoute(name, detours[name] ?? '')
    if (!['', 'false', 'null'].includes(text.slice(start, Math.min(end, start + 8))))
      refuseUncoveredName(name)
  }
  return {
    fields: parts.filter(({ filename }) => filename === null),
    files: parts.filter(({ filename }) => filename !== null),
  }
}

export function valueOf({ fields, text }: Form, name: string): string | null {
  const field = fields.find((part) => part.name === name)
  return field === undefined ? null : textOf(text.slice(field.start, field.end))
}

export function isOn(form: Form, name: string): boolean {
  const value = valueOf(form, name) ?? 'false'
  if (/^true$/i.test(value)) return true
  return /^(?:false|null)?$/i.test(value) ? false : mustBe(name, 'true or false')
}

/** The bound of the text does not include files. */
type FormFacts = Omit<WireRequest, 'wire' | 'images' | 'audioTokensMax' | 'mediaEstimate'>

export function factsOfForm(form: Form, settings: ReadonlySet<string>): FormFacts {
  const model = valueOf(form, 'model') ?? ''
  if (model === '' || model.length > modelLengthMax)
    mustBe(
      'model',
      `a string of at most ${modelLengthMax} characters: the name of a model of this application`,
    )
  const { fields, text } = form
  const { estimate, tokensMax } = boundOf(
    text,
    fields.filter(({ name }) => !settings.has(name)),
  )
  const svc = fields.find(({ name }) => name === 'svc')
  return {
    ...noOutput,
    text,
    model,
    contentType: formType(form.boundary),
    ...svcOf(valueOf(form, 'svc')),
    hasTools: false,
    hasSchema: false,
    documents: null,
    media: [],
    textTokensMax: tokensMax,
    inputEstimate: estimate,
    prose: { tokensMax: 0, text: '' },
    places: {
      model: fields.find(({ name }) => name === 'model') ?? null,
      isForm: true,
      maxima: [],
      newMaximum: { at: 0, before: '', after: '' },
      always: svc === undefined ? [] : [{ start: svc.from, end: svc.to, text: '' }],
    },
  }
}

/** Tokens that a provider may add to a prompt. */
const frameTokens = 64

function boundOf(text: ByteText, fields: readonly FormPart[]): { tokensMax: number; estimate: number } {
  const read = fields.map(({ end, start }) => text.slice(start, end)).join('\n')
  if (read.length > textBytesMax) refuse('request_text_too_large', null, textTooLarge)
  const { boundBytes, thirds } = countsOf(read)
  return { tokensMax: boundBytes + frameTokens, estimate: tokensFromThirds(thirds) }
}

function svcOf(svc: string | null): ReturnType<typeof svcAt> {
  if (svc === null) return nothingSaid
  const json = parseJson(byteTextOf(svc), { depthMax: 4, valuesMax: 64 })
  if ('reason' in json) {
    const { code, reason } = faultOfJson(json)
    return refuse(code, 'svc', reason)
  }
  return svcAt(json, 0)
}
