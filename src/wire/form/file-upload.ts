import { fileSize, type FileSize } from '#wire/bound/file-size.ts'
import { textOf, type ByteText } from '#wire/text/byte-text.ts'
import { formType } from '#wire/text/form-parts.ts'
import { splice } from '#wire/text/splice.ts'
import { isFault, modelLengthMax, mustBe, unlessRefused, type RequestFault } from '#wire/wire-request.ts'
import { formOf, valueOf, type Form } from './form-request.ts'

/** A form that uploads a file (docs/reference/wires.md "Files"). */
export interface FileUpload {
  /** The model name that selects the account. Null if the form has none. */
  readonly model: string | null
  readonly filename: string
  /** The purpose in OpenAI's format. Null in Anthropic's format. */
  readonly purpose: string | null
  readonly bytes: number
  readonly size: FileSize
  /** The form without the fields that only the gateway reads. */
  readonly body: ByteText
  readonly contentType: string
}

/** @param hasPurpose whether the format has purposes */
export function parseFileUpload(
  body: ByteText,
  boundary: string,
  hasPurpose: boolean,
): FileUpload | RequestFault {
  const path = { model: null, isStream: false, isJsonArray: false, boundary }
  const form = formOf(body, path, fileNames, { name: 'file', filename: 'file', value: '' })
  return isFault(form) ? form : unlessRefused(() => parse(form, hasPurpose))
}

const fileNames: ReadonlySet<string> = new Set(['file'])

function parse(form: Form, hasPurpose: boolean): FileUpload {
  const [file] = form.files
  if (file === undefined) return mustBe('file', 'a file')
  const model = valueOf(form, 'model')
  if (model !== null && (model === '' || model.length > modelLengthMax))
    mustBe('model', `the name of a model of this application, of at most ${modelLengthMax} characters`)
  const own = form.fields.filter(({ name }) => ownFields.has(name))
  const content = form.text.slice(file.start, file.end)
  return {
    model,
    filename: textOf(file.filename ?? ''),
    purpose: hasPurpose ? purposeOf(valueOf(form, 'purpose')) : null,
    bytes: content.length,
    size: fileSize(content),
    body: splice(
      form.text,
      own.map(({ from, to }) => ({ start: from, end: to, text: '' })),
    ),
    contentType: formType(form.boundary),
  }
}

/** Fields that only the gateway reads. */
const ownFields: ReadonlySet<string> = new Set(['model', 'svc'])

function purposeOf(purpose: string | null): string {
  if (purpose === null || !purposes.includes(purpose))
    mustBe('purpose', `one of ${purposes.join(', ')}, because files are stored only for use in requests`)
  return purpose
}

const purposes: readonly string[] = ['user_data', 'assistants', 'vision']
