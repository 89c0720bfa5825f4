import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { type Given, type PutFields, putValues, type Values } from '#operations/kernel/put-fields.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'

/** The errors with which a document can be rejected: all errors of the operations that one document replaces. */
export type ApplyCode =
  | 'not_found'
  | 'in_use'
  | 'name_taken'
  | 'unknown_model_pattern'
  | 'model_unpriced'
  | 'invalid_request'

type Json = Record<string, unknown>

const State = z.record(z.string(), z.unknown()).nullable()

/** The change that the document makes to one resource. */
export const ChangeView = z
  .object({
    action: z.enum(['create', 'update', 'remove', 'none']).meta({
      description:
        'Type of the change. `none` means that the resource is not in the document and is kept. To delete the resource, set `prune` to `true`.',
    }),
    resource: z
      .enum(['application', 'brand', 'gateway', 'model', 'router', 'bundle', 'outcome', 'team'])
      .meta({ description: 'Type of the resource.' }),
    path: z.string().meta({
      description: 'Section of the document, followed by the name of the item if the section is a list.',
      examples: ['bundles/pro'],
    }),
    before: State.meta({
      description:
        'State before the change, in the format of the configuration document. Null if the resource did not exist.',
    }),
    after: State.meta({
      description:
        'State after the change, in the format of the configuration document. Null if the resource was deleted.',
    }),
  })
  .meta({ id: 'ConfigurationChange', description: 'The change of one resource of the configuration.' })

export type Change = z.output<typeof ChangeView>

export interface Step {
  readonly change: Change
  /** Writes the change to the store. Null if nothing needs to be written. */
  readonly run: (() => Promise<void>) | null
}

/** A list in the document, and the stored items of the same kind. */
export interface Part<Item> {
  readonly current: readonly Item[]
  /** The list in the document. Undefined if the document omits the list. */
  readonly wanted: readonly Item[] | undefined
  /** Whether stored items that are not in the document are deleted. */
  readonly prune: boolean
}

/**
 * Returns the items of the document. Omitted fields keep the values of the stored item with the same name, as in every
 * PUT.
 * @param field the field of the document that contains the list
 * @param storedAs returns the stored item of the same name, or undefined
 */
export function wantedItems<F extends PutFields>(
  field: string,
  fields: F,
  sent: readonly Given<F>[] | undefined,
  storedAs: (item: Given<F>) => Values<F> | undefined,
): Values<F>[] | undefined | Refused<'invalid_request'> {
  const wanted: Values<F>[] = []
  for (const [index, item] of (sent ?? []).entries()) {
    const values = putValues(fields, item, storedAs(item) ?? null, `${field}.${index}.`)
    if (values instanceof Refused) return values
    wanted.push(values)
  }
  return sent && wanted
}

/** How the items of one kind are identified, checked and written. */
export interface Kind<Item> {
  readonly resource: Change['resource']
  /** The field of the document for this kind of item. */
  readonly field: string
  readonly schema: z.ZodType<Item>
  nameOf(item: Item): string
  /**
   * Converts an item of the document to the form in which it is stored.
   * @param at the item's path in the document
   */
  prepare(item: Item, at: string): Promise<Item | Refused<ApplyCode>>
  /** Returns the new state of a stored item that is not in the document and is kept. */
  kept?(item: Item): Item
  /** Returns why an item cannot be deleted, or null. */
  removalFault?(item: Item): Promise<Refused<ApplyCode> | null>
  put(item: Item, before: Item | null): Promise<void>
  remove(item: Item): Promise<void>
}

/**
 * Returns the steps that turn the stored items into the items of the document, sorted by name. This function itself
 * writes nothing.
 */
export async function stepsOf<Item>(
  kind: Kind<Item>,
  { current, prune, wanted }: Part<Item>,
): Promise<readonly Step[] | Refused<ApplyCode>> {
  const before = new Map(current.map((item) => [kind.nameOf(item), item]))
  const after = new Map<string, Item>()
  for (const [index, item] of (wanted ?? []).entries()) {
    const name = kind.nameOf(item)
    const at = `${kind.field}.${index}`
    if (after.has(name)) return invalid(`${kind.field} contains ${name} twice.`, at)
    // oxlint-disable-next-line no-await-in-loop -- one transaction runs one query at a time
    const prepared = await kind.prepare(item, at)
    if (prepared instanceof Refused) return prepared
    after.set(name, prepared)
  }
  const steps: Step[] = []
  for (const name of [...new Set([...before.keys(), ...after.keys()])].toSorted()) {
    const [old, next] = [before.get(name), after.get(name)]
    // oxlint-disable-next-line no-await-in-loop -- as above
    const step = await stepOf(kind, name, old, next, prune && wanted !== undefined)
    if (step instanceof Refused) return step
    // If the document omits this list, report only the changes that result from other lists.
    if (step && (wanted !== undefined || step.change.action !== 'none')) steps.push(step)
  }
  return steps
}

async function stepOf<Item>(
  kind: Kind<Item>,
  name: string,
  old: Item | undefined,
  next: Item | undefined,
  prune: boolean,
): Promise<Step | Refused<ApplyCode> | null> {
  if (next !== undefined) {
    const change = changeOf(kind, name, old, next)
    return change.action === 'none' ? null : { change, run: () => kind.put(next, old ?? null) }
  }
  if (old === undefined) return null
  // Without `prune`, an item that the document omits is kept, and no step runs for the item. If another list of the
  // document changes the item, the steps of that list write the change.
  if (!prune) return { change: changeOf(kind, name, old, kind.kept?.(old) ?? old), run: null }
  const fault = await kind.removalFault?.(old)
  return fault ?? { change: changeOf(kind, name, old, undefined), run: () => kind.remove(old) }
}

/**
 * Returns the change between two states, at least one of which exists.
 * @param name null if the section is a single resource and not a list
 */
export function changeOf<Item>(
  { field, resource, schema }: Pick<Kind<Item>, 'resource' | 'schema' | 'field'>,
  name: string | null,
  old: Item | undefined,
  next: Item | undefined,
): Change {
  const before = old === undefined ? null : jsonOf(schema, old)
  const after = next === undefined ? null : jsonOf(schema, next)
  return {
    action: actionOf(before, after),
    resource,
    path: name === null ? field : `${field}/${name}`,
    before,
    after,
  }
}

function actionOf(before: Json | null, after: Json | null): Change['action'] {
  if (before === null) return 'create'
  if (after === null) return 'remove'
  return isDeepStrictEqual(before, after) ? 'none' : 'update'
}

function jsonOf<Item>(schema: z.ZodType<Item>, item: Item): Json {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- items are objects, and their JSON is too
  return z.encode(schema, item) as Json
}

export function invalid(reason: string, param: string): Refused<'invalid_request'> {
  return refused('invalid_request', { reason }, param)
}
