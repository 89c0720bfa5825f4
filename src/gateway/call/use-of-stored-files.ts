/**
 * Providers store files of end users, read files in Cloud Storage, and run code with files in containers. A request
 * with a file or container goes to the account that has it (docs/decisions/2026-11-29-files-of-end-users.md,
 * 2026-11-29-containers.md, 2026-11-29-files-in-cloud-storage.md).
 */
import type { Account } from '#domain/billing/money-account-key.ts'
import { isReadable } from '#domain/accounts/google-storage-addresses.ts'
import type { StoredKind } from '#domain/accounts/files-stored-at-providers.ts'
import { kindFacts, type FileFormat } from '#domain/accounts/provider-kinds.ts'
import { Failure } from '#domain/errors.ts'
import type { AccountObject } from '#domain/secrets/ids-of-objects-at-accounts.ts'
import type { ContainerTags } from '#domain/secrets/ids-of-containers.ts'
import type { FileState } from '#domain/secrets/ids-of-files.ts'
import { withContainers, withFiles, withOwnIds } from '#wire/bound/add-stored-files-to-bounds.ts'
import type { ContainerUse } from '#wire/container-use-types.ts'
import type { FileUse } from '#wire/file-use-types.ts'
import type { ContainerIds } from '#wire/types-of-replaced-ids.ts'
import type { FormatName } from '#wire/names-of-wires-and-tasks.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Arrival } from './arrived-request-types.ts'
import type { Caller } from './caller-of-request.ts'
import type { Plan } from './targets-of-model-name.ts'
import { unknownObject } from './unknown-object-failure.ts'

/** @throws Failure with the same error for an unknown ID as for an ID of another end user or application */
export function openedFile(
  { ports }: Pick<Arrival, 'ports'>,
  { key }: Caller,
  format: FileFormat,
  id: string,
  param?: string,
): FileState {
  return ports.fileTags.open(key, format, id) ?? unknownFile(param)
}

export function unknownFile(param?: string): never {
  throw new Failure('file_not_found', {}, param === undefined ? {} : { param })
}

/**
 * Also adds the sizes of the files to the request's maximum input. Decodes IDs of files that code created earlier,
 * which may appear in the request's history. Any other ID in the history stays text, and no file is read for it.
 * @throws Failure
 */
export function withOpenedFiles(
  arrival: Pick<Arrival, 'ports'>,
  caller: Caller,
  parsed: WireRequest,
): WireRequest {
  const request = withOwnIds(parsed, (id) => arrival.ports.containerTags.openFile(caller.key, id)?.id ?? null)
  if (request.files === undefined) return request
  const format = fileFormatOf(request.wire)
  return withFiles(request, ({ id, medium }) => {
    const file = openedFile(arrival, caller, format, id, 'file_id')
    if (medium === undefined || medium === file.medium) return file
    const reason = `The file was uploaded as ${file.medium}. Its mimeType must be of the same kind, or omitted.`
    throw new Failure('invalid_request', { reason }, { param: 'fileData.mimeType' })
  })
}

export function fileFormatOf(wire: FormatName): FileFormat {
  if (wire === 'generate') return 'google'
  return wire === 'messages' ? 'anthropic' : 'openai'
}

export function otherAccountFault(files: readonly FileUse[], { fileOrigin }: Plan): Failure | null {
  if (files.every(({ stored }) => stored === undefined || stored.origin === fileOrigin)) return null
  const reason =
    'the file is stored at another account. Use a model name of that account, or upload the file again and name the model that will use it'
  return new Failure('unsupported_for_route', { reason }, { param: 'file_id' })
}

/**
 * The upload goes to the first account of the model name that stores files. Without a model name, all names that the
 * caller can use must have the same such account.
 * @throws Failure
 */
export function uploadTarget(
  { configuration }: Pick<Arrival, 'configuration'>,
  caller: Caller,
  format: FileFormat,
  model: string | null,
  what: StoredKind = 'files',
): Plan {
  const targetOf = (name: string): Plan | Failure | null => {
    const served = configuration.served(caller, name)
    if (served instanceof Failure) return served
    return served.leaves.find(({ plan }) => plan !== null && storesFiles(plan, format))?.plan ?? null
  }
  if (model !== null) {
    const target = targetOf(model)
    if (target instanceof Failure) throw target
    if (target !== null) return target
    const reason = `the provider of this model stores no ${what} in this format. Send the content in the request`
    throw new Failure('unsupported_for_route', { reason }, { param: 'model' })
  }
  const { aliases, routers } = caller.config
  const byOrigin = new Map<string | null, Plan>()
  for (const name of [...aliases.keys(), ...routers.keys()]) {
    const target = targetOf(name)
    if (target !== null && !(target instanceof Failure)) byOrigin.set(target.fileOrigin, target)
  }
  const [first, second] = byOrigin.values()
  const isForm = format !== 'google' && what === 'files'
  if (first !== undefined && second === undefined) return first
  const reason =
    first === undefined
      ? `No model name of this application has a provider that stores ${what} in this format. Send the content in the request.`
      : `The model names of this application have several accounts that store ${what}. Set the ${isForm ? 'form field model' : 'header x-svc-model'} to the name that will use them.`
  throw new Failure('invalid_request', { reason }, { param: first === undefined ? 'file' : 'model' })
}

function storesFiles({ source }: Plan, format: FileFormat): boolean {
  return kindFacts(source.account.kind).files?.includes(format) === true
}

/** Null if no model name of the caller still routes to the file's account. */
export function targetWithFile(
  { configuration }: Pick<Arrival, 'configuration'>,
  caller: Caller,
  { origin }: Pick<FileState, 'origin'>,
): Plan | null {
  const { aliases, routers } = caller.config
  for (const name of [...aliases.keys(), ...routers.keys()]) {
    const served = configuration.served(caller, name)
    const leaves = served instanceof Failure ? [] : served.leaves
    const plan = leaves.find((leaf) => leaf.plan?.fileOrigin === origin)?.plan
    if (plan) return plan
  }
  return null
}

export function storageFault(
  addresses: readonly string[],
  { source }: Plan,
  { gateway }: Caller['config'],
): Failure | null {
  const unreadable = addresses.find((address) => !isReadable(address, gateway?.storagePrefixes ?? []))
  if (unreadable === undefined && kindFacts(source.account.kind).readsStorage === true) return null
  const reason =
    unreadable === undefined
      ? 'the provider of this model does not read gs:// addresses. Send the content of the file as inlineData, or route the name to an account of Vertex AI'
      : `the application does not allow ${unreadable.slice(0, shownAddressMax)}. Send the content of the file as inlineData, or ask the application to add the bucket to the gateway setting storagePrefixes`
  return new Failure('unsupported_for_route', { reason }, { param: 'fileData.fileUri' })
}

const shownAddressMax = 200

/** @throws Failure with the same error for an unknown ID as for an ID of another end user or application */
export function withOpenedContainers(
  arrival: Pick<Arrival, 'ports'>,
  caller: Caller,
  request: WireRequest,
): WireRequest {
  if (request.containers === undefined) return request
  const format = fileFormatOf(request.wire)
  return withContainers(request, ({ id }) => openedContainer(arrival, caller, format, id, 'container'))
}

/** @throws Failure with the same error for an unknown ID as for an ID of another end user or application */
export function openedContainer(
  { ports }: Pick<Arrival, 'ports'>,
  { key }: Caller,
  format: FileFormat,
  text: string,
  param?: string,
): AccountObject {
  return ports.containerTags.open(key, format, text) ?? unknownObject('container', text, param)
}

export function otherContainerFault(
  containers: readonly ContainerUse[],
  { fileOrigin }: Plan,
): Failure | null {
  if (containers.every(({ isNamed, stored }) => isNamed === true || stored?.origin === fileOrigin))
    return null
  const reason =
    'the container belongs to another account. Use a model name of that account, or omit the field to start a new container'
  return new Failure('unsupported_for_route', { reason }, { param: 'container' })
}

/**
 * Undefined if the target's account runs no containers.
 * @param onFile called with the provider's ID of each file that code creates, possibly several times
 */
export function containerIdsOf(
  tags: ContainerTags,
  owner: Account,
  format: FileFormat,
  { fileOrigin: origin }: Plan,
  onFile?: (id: string) => void,
): ContainerIds | undefined {
  return origin === null
    ? undefined
    : {
        idOf: (id) => tags.tagOf(owner, format, { origin, id }),
        fileIdOf(id) {
          onFile?.(id)
          return tags.fileTagOf(owner, { origin, id })
        },
      }
}
