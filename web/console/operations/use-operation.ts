/**
 * Responses are cached by noun, verb, input, application and mode. A change reloads the displayed responses that it has
 * made outdated.
 */
import {
  keepPreviousData,
  useInfiniteQuery,
  useIsMutating,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Operations } from '#sdk/generated/operations.ts'
import type { PageCall } from '#sdk/page.ts'
import type { CallOptions, ConditionalOptions } from '#sdk/settings.ts'
import type { Rows } from '#web/ui/data-table.tsx'
import { isSavedBefore } from '#web/ui/failure.tsx'
import { api } from '../api-client.ts'
import { reloadAfter, staleNouns } from './reload-outdated-responses.ts'
import { scopeOptions, useScope } from '../application-and-mode.ts'
import { inSession } from '../sign-in/sign-in-again.tsx'

/** `usage`, `margin`, `health` and `doctor` are verbs without a noun. */
export type Noun = {
  [N in keyof Operations]: Operations[N] extends object ? N : never
}[keyof Operations]
type VerbsOf<T> = { [V in keyof T]: T[V] extends (...args: never[]) => unknown ? V : never }[keyof T]

export type OperationId =
  | { [N in Extract<Noun, string>]: `${N}.${Extract<VerbsOf<Operations[N]>, string>}` }[Extract<Noun, string>]
  | Extract<VerbsOf<Operations>, string>

type MethodOf<Id extends OperationId> = Id extends `${infer N extends Extract<Noun, string>}.${infer V}`
  ? V extends keyof Operations[N]
    ? Operations[N][V]
    : never
  : Id extends keyof Operations
    ? Operations[Id]
    : never

export type InputOf<Id extends OperationId> =
  MethodOf<Id> extends (...args: infer Given) => unknown ? Exclude<Given[0], undefined> : never
export type AnswerOf<Id extends OperationId> =
  MethodOf<Id> extends (...args: never[]) => infer A ? Awaited<A> : never
export type RowOf<Id extends OperationId> =
  AnswerOf<Id> extends { readonly data: readonly (infer Row)[] } ? Row : never

type AnyMethod = (input: object | undefined, options: CallOptions) => PromiseLike<unknown>

export function call<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  options: ConditionalOptions = {},
): ReturnType<Extract<MethodOf<Id>, (...args: never[]) => unknown>> {
  const [noun = '', verb] = id.split('.')
  const holder = (verb === undefined ? api : api[noun as Noun]) as unknown as Record<string, AnyMethod>
  return holder[verb ?? noun]?.(input as object, options) as ReturnType<
    Extract<MethodOf<Id>, (...args: never[]) => unknown>
  >
}

interface AskOptions {
  readonly isEnabled?: boolean
  /** Interval at which a visible page reloads the response. */
  readonly everyMs?: number
  readonly scope?: { readonly app: string | null; readonly mode: 'live' | 'test' }
}

/** Returns the previous response while the response for another input is loading (`isPlaceholderData`). */
export function useAnswer<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  { everyMs, isEnabled = true, scope: asked }: AskOptions = {},
): UseQueryResult<AnswerOf<Id>> {
  const own = useScope()
  const scope = asked ?? own
  return useQuery({
    queryKey: [...id.split('.'), input, scope],
    queryFn: async ({ signal }) =>
      (await call(id, input, { ...scopeOptions(scope), signal })) as AnswerOf<Id>,
    placeholderData: keepPreviousData,
    enabled: isEnabled,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  })
}

export function useRows<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  { everyMs, isEnabled = true, scope: asked }: AskOptions = {},
): Rows<RowOf<Id>> & {
  readonly refetch: () => void
  /** Time of the last load, by the computer's clock. 0 before the first load. */
  readonly readAtMs: number
} {
  const own = useScope()
  const scope = asked ?? own
  const {
    data,
    dataUpdatedAt,
    error,
    fetchNextPage,
    hasNextPage,
    isFetchingNextPage,
    isPlaceholderData,
    refetch,
  } = useInfiniteQuery({
    queryKey: [...id.split('.'), 'pages', input, scope],
    queryFn: async ({ pageParam, signal }) => {
      const asking = { ...(input as object), ...(pageParam !== null && { cursor: pageParam }) }
      const page = call(id, asking as InputOf<Id>, { ...scopeOptions(scope), signal })
      return await (page as unknown as PageCall<RowOf<Id>, { data: RowOf<Id>[]; nextCursor: string | null }>)
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    enabled: isEnabled,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  })
  const pages = data?.pages
  const rows = useMemo(() => pages?.flatMap((page) => page.data), [pages])
  return {
    rows,
    error: error ?? undefined,
    isStale: isPlaceholderData,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore: () => void fetchNextPage(),
    retry: () => void refetch(),
    refetch: () => void refetch(),
    readAtMs: dataUpdatedAt,
  }
}

/** Whether the page is saving a change that affects the noun, or reloading responses after the change. */
export function useIsChanging(noun: string): boolean {
  return (
    useIsMutating({
      predicate: ({ options: { mutationKey } }) =>
        mutationKey?.[0] === 'change' && staleNouns(String(mutationKey[1])).includes(noun),
    }) > 0
  )
}

/**
 * Whether a change is being saved. Downloads of files are mutations too, but they change nothing. Probes and samples
 * wait for another server, and any page may be open meanwhile.
 */
export function isSaving(queries: QueryClient): boolean {
  const pending = queries.isMutating({
    predicate: ({ options: { mutationKey } }) =>
      mutationKey?.[0] === 'change' && !slowReports.has(String(mutationKey[1])),
  })
  return pending > 0
}

const slowReports: ReadonlySet<string> = new Set<OperationId>(['providers.probe', 'emitters.test'])

interface Sending {
  readonly ifMatch?: string
  /** Whether the change is rejected if the resource already exists. */
  readonly isNew?: boolean
  /** Two changes with the same key take effect once. */
  readonly repeatKey?: string
}

export function useChange<Id extends OperationId>(
  id: Id,
): UseMutationResult<AnswerOf<Id>, Error, InputOf<Id> & Sending> {
  const scope = useScope()
  const queries = useQueryClient()
  return useMutation({
    mutationKey: ['change', id],
    mutationFn: ({ ifMatch, isNew, repeatKey, ...input }) =>
      inSession(
        async () =>
          (await call(id, input as unknown as InputOf<Id>, {
            ...scopeOptions(scope),
            ...(ifMatch !== undefined && { ifMatch }),
            ...(isNew === true && { ifNoneMatch: '*' }),
            ...(repeatKey !== undefined && { idempotencyKey: repeatKey }),
          })) as AnswerOf<Id>,
      ),
    onSuccess: (_, input) => reloadAfter(queries, id, input),
    // The page must show the result of the earlier attempt, such as a key whose secret is lost.
    onError: async (error, input) => {
      if (isSavedBefore(error)) await reloadAfter(queries, id, input)
    },
  })
}
