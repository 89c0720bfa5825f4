import { Command } from 'cmdk'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { Dialog as Base } from '@base-ui/react/dialog'
import { useState, type ReactNode } from 'react'
import { pages } from '../pages.ts'
import { useScope } from '../application-and-mode.ts'
import { keptParameters, useSearchTexts, useSetSearch } from '../url-parameters.ts'
import { useRows } from '../operations/use-operation.ts'
import { useCommandSearch } from './command-search.ts'
import { placeOfId, type Place } from './page-of-resource-id.ts'

const item =
  'flex h-9 cursor-default items-center gap-2 rounded px-3 text-14 text-ink data-[selected=true]:bg-surface-3'
const group =
  '[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-12 [&_[cmdk-group-heading]]:text-ink-3'

export function CommandBar({ onClose }: { readonly onClose: () => void }): ReactNode {
  const navigate = useNavigate()
  const setSearch = useSetSearch()
  const { mode } = useScope()
  const [text, setText] = useState('')
  const { rows: apps } = useRows('apps.list', { limit: 200 }, { scope: { app: null, mode: 'live' } })
  const { found, isSearching } = useCommandSearch(text)
  const byId = found.length > 0 || isSearching ? null : placeOfId(text.trim())
  const pathname = useLocation({ select: (location) => location.pathname })
  const cleared = Object.fromEntries(
    Object.keys(useSearchTexts()).flatMap((name) => (keptParameters.includes(name) ? [] : [[name, null]])),
  )
  const go = (
    to: string,
    search: Readonly<Record<string, string>> = {},
    params: Readonly<Record<string, string>> = {},
  ): void => {
    onClose()
    // If the page is already shown, the back button returns to the page as it is now.
    if (to === pathname && Object.keys(search).length > 0) setSearch({ ...cleared, ...search })
    else void navigate({ to, params, search })
  }
  const matches = (...words: readonly string[]): boolean => isMatch(text, words)
  const otherMode = mode === 'test' ? 'Switch to live mode' : 'Switch to test mode'
  const groups: readonly (readonly [heading: string, choices: readonly Choice[]])[] = [
    ...Map.groupBy(found, (one) => one.group)
      .entries()
      .map(([heading, those]) => [heading, those.map((one) => choiceOf(one))] as const),
    ['By ID', byId === null ? [] : [choiceOf({ ...byId, id: 'by id' })]],
    [
      'Pages',
      pages
        .filter(({ path, title, words = '' }) => !path.includes('$') && matches(title, words))
        .map(({ key, path, title }) => ({
          id: path,
          words: title,
          onSelect: () => go(path),
          ...(key !== undefined && { keys: `g ${key}` }),
        })),
    ],
    [
      'Actions',
      [
        ...actions
          .filter(({ words }) => matches(words))
          .map(({ path, words }) => ({ id: words, words, onSelect: () => go(path, { act: 'new' }) })),
        ...(matches(otherMode)
          ? [
              {
                id: 'mode',
                words: otherMode,
                onSelect: () => {
                  setSearch({ mode: mode === 'test' ? null : 'test' }, true)
                  onClose()
                },
              },
            ]
          : []),
      ],
    ],
    [
      'Applications',
      (apps && apps.length > 1 ? apps : [])
        .filter(({ name, slug }) => matches('application', name, slug))
        .map(({ name, slug }) => ({
          id: `application ${slug}`,
          words: name,
          ...(slug !== name && { about: slug }),
          onSelect: () => {
            setSearch({ app: slug }, true)
            onClose()
          },
        })),
    ],
  ]
  const shown = groups.filter(([, choices]) => choices.length > 0)

  function choiceOf({
    about,
    id,
    params,
    search,
    to,
    words,
  }: Place & { readonly id: string; readonly about?: string }): Choice {
    return {
      id,
      words,
      ...(about !== undefined && { about }),
      onSelect: () => go(to, search, params),
    }
  }

  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="appears fixed inset-0 z-40 bg-black/30" />
        <Base.Popup
          aria-label="Command bar"
          className="appears fixed top-[12vh] left-1/2 z-50 w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 rounded bg-surface shadow-float"
        >
          <Command label="Command bar" loop shouldFilter={false}>
            <Command.Input
              value={text}
              onValueChange={setText}
              placeholder="Search or go to a page"
              className="h-12 w-full border-b border-line bg-transparent px-4 text-16 outline-none placeholder:text-ink-3"
            />
            <Command.List className="max-h-[50vh] overflow-y-auto p-2">
              {shown.length === 0 && (
                <p className="px-3 py-4 text-ink-3" role="status">
                  {isSearching ? 'Searching' : 'No matches.'}
                </p>
              )}
              {shown.map(([heading, choices]) => (
                <Command.Group key={heading} heading={heading} className={group}>
                  {choices.map(({ about, id, keys, onSelect, words }) => (
                    <Command.Item key={id} className={item} value={id} onSelect={onSelect}>
                      <bdi className="min-w-0 flex-1 truncate" title={words}>
                        {words}
                      </bdi>
                      {about !== undefined && about !== '' && (
                        <bdi className="max-w-60 truncate text-12 text-ink-3">{about}</bdi>
                      )}
                      {keys !== undefined && <kbd className="text-12 text-ink-3">{keys}</kbd>}
                    </Command.Item>
                  ))}
                </Command.Group>
              ))}
            </Command.List>
          </Command>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

interface Choice {
  readonly id: string
  readonly words: string
  readonly about?: string
  readonly keys?: string
  readonly onSelect: () => void
}

function isMatch(typed: string, words: readonly string[]): boolean {
  const text = words.join(' ').toLowerCase()
  return typed
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** The query parameter `act=new` opens the form of the page's primary action. */
const actions = [
  { words: 'Create key', path: '/keys' },
  { words: 'Grant credit', path: '/grants' },
  { words: 'Add model', path: '/models' },
  { words: 'Add router', path: '/routers' },
  { words: 'Create bundle', path: '/bundles' },
  { words: 'Connect provider account', path: '/providers' },
  { words: 'Create application', path: '/apps' },
  { words: 'Invite team member', path: '/team' },
  { words: 'Create token', path: '/tokens' },
  { words: 'Add emitter', path: '/emitters' },
]
