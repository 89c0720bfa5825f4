import * as z from 'zod'
import type { Nouns } from '#domain/store-interface.ts'
import { matchesPattern } from '#money/model-name-pattern.ts'
import { operationOn, type Operation } from '#operations/kernel/declare-operation.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { refused, type Refused } from '#operations/kernel/returned-error.ts'
import { Pattern } from '#operations/kernel/value-and-page-schemas.ts'
import { BundleView, bundleView } from './bundle-view.ts'
import { bundleWithEtag } from './bundle-with-etag.ts'

/** Adding patterns to one list removes the same patterns from the other list. */
export function patternsOperation(
  list: 'allow' | 'deny',
  about: { readonly summary: string; readonly description: string },
): Operation {
  const other = list === 'allow' ? 'deny' : 'allow'
  return operationOn(bundleWithEtag, {
    id: `bundles.${list}`,
    method: 'POST',
    path: `/v1/bundles/{slug}/${list}`,
    ...about,
    body: z.strictObject({
      models: z
        .array(Pattern)
        .min(1)
        .max(200)
        .meta({ description: 'Patterns: model or router names, prefixes with a trailing `*`, or `*`.' }),
    }),
    output: BundleView,
    errors: ['unknown_model_pattern'],
    configures: 'application',
    async run(bundle, context, { body: { models } }) {
      const unknown = await unknownPattern(models, context)
      if (unknown) return unknown
      const changed = {
        ...bundle,
        [list]: [...new Set([...bundle[list], ...models])],
        [other]: bundle[other].filter((pattern) => !models.includes(pattern)),
      }
      await context.store.bundles.put(changed)
      return bundleView(changed, context)
    },
  })
}

async function callableNames(
  applicationId: string,
  store: Pick<Nouns, 'aliases' | 'routers'>,
): Promise<ReadonlySet<string>> {
  const aliases = await store.aliases.names(applicationId)
  return new Set([...aliases, ...(await store.routers.names(applicationId))])
}

export async function unknownPattern(
  patterns: readonly string[],
  { application, store }: ApplicationContext,
): Promise<Refused<'unknown_model_pattern'> | null> {
  return unknownAmong(patterns, await callableNames(application.id, store), 'models')
}

/** Rejects patterns that could never match a name. */
export function unknownAmong(
  patterns: readonly string[],
  names: ReadonlySet<string>,
  param: string,
): Refused<'unknown_model_pattern'> | null {
  const unknown = patterns.find((pattern) => !isMeaningful(pattern, names))
  return unknown === undefined ? null : refused('unknown_model_pattern', { pattern: unknown }, param)
}

/** `*` always counts as meaningful, because it also matches future names. */
export function isMeaningful(pattern: string, names: ReadonlySet<string>): boolean {
  if (!pattern.endsWith('*')) return names.has(pattern)
  return pattern === '*' || names.values().some((name) => matchesPattern(pattern, name))
}
