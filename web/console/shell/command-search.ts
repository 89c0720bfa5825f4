import { useQuery, keepPreviousData } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { NotFoundError } from '#sdk/errors.ts'
import { useAllRows } from '../load-all-rows.ts'
import { call } from '../operations/use-operation.ts'
import { scopeOptions, useScope, type Scope } from '../application-and-mode.ts'
import { placeOfId, type Place } from './page-of-resource-id.ts'

interface Found extends Place {
  readonly id: string
  readonly group: string
  readonly about?: string
}

const matchesMax = 6
/** Maximum length of a search text that list operations accept. */
const searchMax = 128
/** The public prefix of a key. A search must not send the rest of the secret to the server. */
const keyPrefix = /^ak_[a-z0-9]+_[a-z0-9]{0,6}/i

export function useCommandSearch(text: string): {
  readonly found: readonly Found[]
  readonly isSearching: boolean
} {
  const scope = useScope()
  const typed = text.trim()
  const settled = useSettled(typed, 150)
  const isAsked = settled !== '' && settled.length <= searchMax
  // `signal` cancels the previous search.
  const looked = useQuery({
    queryKey: ['command bar', settled, scope],
    queryFn: ({ signal }) => lookUp(settled, scope, signal),
    enabled: isAsked,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  })
  const isOpen = typed !== ''
  const models = useAllRows('models.list', {}, { isEnabled: isOpen })
  const routers = useAllRows('routers.list', {}, { isEnabled: isOpen })
  const bundles = useAllRows('bundles.list', {}, { isEnabled: isOpen })
  const providers = useAllRows('providers.list', {}, { isEnabled: isOpen })
  if (!isOpen) return { found: [], isSearching: false }
  const open = (group: string, to: string, id: string, words: string, about?: string): Found => ({
    id: `${group} ${id}`,
    group,
    words,
    to,
    params: {},
    search: { open: id },
    ...(about !== undefined && about !== words && { about }),
  })
  const some = <Row>(rows: readonly Row[] | undefined, textOf: (row: Row) => string): readonly Row[] =>
    (rows ?? []).filter((row) => textOf(row).toLowerCase().includes(typed.toLowerCase())).slice(0, matchesMax)
  const isStale = looked.isPlaceholderData || settled !== typed
  const found = [
    ...(isAsked && !isStale ? (looked.data ?? []) : []),
    ...some(models.data?.rows, ({ name }) => name).map(({ name }) => open('Models', '/models', name, name)),
    ...some(routers.data?.rows, ({ name }) => name).map(({ name }) =>
      open('Routers', '/routers', name, name),
    ),
    ...some(bundles.data?.rows, ({ displayName, slug }) => `${displayName} ${slug}`).map(
      ({ displayName, slug }) => open('Bundles', '/bundles', slug, displayName, slug),
    ),
    ...some(providers.data?.rows, ({ id, label }) => `${label} ${id}`).map(({ kind, label }) =>
      open('Providers', '/providers', label, label, kind),
    ),
  ]
  return {
    found,
    isSearching:
      isStale || looked.isFetching || [models, routers, bundles, providers].some((one) => one.isLoading),
  }
}

async function lookUp(text: string, scope: Scope, signal: AbortSignal): Promise<readonly Found[]> {
  const options = { ...scopeOptions(scope), signal }
  const search = keyPrefix.exec(text)?.[0] ?? text
  const [users, keys, request] = await Promise.all([
    call('users.list', { search: text, limit: matchesMax }, options),
    call('keys.list', { search, limit: matchesMax }, options),
    requestOf(text, options),
  ])
  return [
    ...(request === null ? [] : [request]),
    ...users.data.map(({ email, externalId, id }): Found => ({
      id: `user ${id}`,
      group: 'End users',
      words: externalId,
      to: '/users/$id',
      params: { id: externalId },
      search: {},
      ...(email !== null && { about: email }),
    })),
    ...keys.data.map(({ endUserId, id, keyPrefix: prefix, lastFour, name }): Found => ({
      id: `key ${id}`,
      group: 'Keys',
      words: name,
      to: '/keys',
      params: {},
      search: { open: id },
      about: [`${prefix}…${lastFour}`, endUserId ?? ''].join(' ').trim(),
    })),
  ]
}

async function requestOf(text: string, options: Parameters<typeof call>[2]): Promise<Found | null> {
  const place = /^(?:req|hold|ur)_/.test(text) ? placeOfId(text) : null
  if (place === null) return null
  try {
    const { requestedModel } = await call('requests.explain', { id: text }, options)
    return {
      ...place,
      id: `request ${text}`,
      group: 'Requests',
      words: text,
      about: requestedModel ?? '',
    }
  } catch (error) {
    if (error instanceof NotFoundError) return null
    throw error
  }
}

/** Returns the text after it has been unchanged for `afterMs`. */
function useSettled(text: string, afterMs: number): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), afterMs)
    return () => clearTimeout(timer)
  }, [text, afterMs])
  return settled
}
