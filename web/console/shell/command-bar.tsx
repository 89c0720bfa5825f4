/** Go somewhere, act, or paste an id. */
import { Command } from 'cmdk'
import { useNavigate } from '@tanstack/react-router'
import { Dialog as Base } from '@base-ui/react/dialog'
import { useState, type ReactNode } from 'react'
import { pages } from '../pages.ts'
import { useScope } from '../scope.ts'
import { useSetSearch } from '../search.ts'
import { useRows } from '../calls.ts'
import { placeOfId } from './place-of-id.ts'

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
  const place = placeOfId(text.trim())
  const go = (to: string, search: Readonly<Record<string, string>> = {}): void => {
    onClose()
    void navigate({ to, search: search })
  }
  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="appears fixed inset-0 z-40 bg-black/30" />
        <Base.Popup
          aria-label="Command bar"
          className="appears fixed top-[12vh] left-1/2 z-50 w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 rounded bg-surface shadow-float"
        >
          <Command label="Command bar" loop>
            <Command.Input
              value={text}
              onValueChange={setText}
              placeholder="Go to a page, or paste an id"
              className="h-12 w-full border-b border-line bg-transparent px-4 text-16 outline-none placeholder:text-ink-3"
            />
            <Command.List className="max-h-[50vh] overflow-y-auto p-2">
              <Command.Empty className="px-3 py-4 text-ink-3">Nothing is called that.</Command.Empty>
              {place && (
                <Command.Group heading="By id" className={group} forceMount>
                  <Command.Item
                    className={item}
                    value={`${text} id`}
                    forceMount
                    onSelect={() => {
                      onClose()
                      void navigate({
                        to: place.to,
                        params: place.params,
                        search: place.search,
                      })
                    }}
                  >
                    {place.words}
                  </Command.Item>
                </Command.Group>
              )}
              <Command.Group heading="Pages" className={group}>
                {pages
                  .filter(({ path }) => !path.includes('$'))
                  .map(({ key, path, title, words = '' }) => (
                    <Command.Item
                      key={path}
                      className={item}
                      value={title}
                      keywords={words.split(' ')}
                      onSelect={() => go(path)}
                    >
                      <span className="flex-1">{title}</span>
                      {key !== undefined && <kbd className="text-12 text-ink-3">g {key}</kbd>}
                    </Command.Item>
                  ))}
              </Command.Group>
              <Command.Group heading="Act" className={group}>
                {actions.map(({ path, words }) => (
                  <Command.Item
                    key={words}
                    className={item}
                    value={words}
                    onSelect={() => go(path, { act: 'new' })}
                  >
                    {words}
                  </Command.Item>
                ))}
                <Command.Item
                  className={item}
                  value={mode === 'test' ? 'Switch to live mode' : 'Switch to test mode'}
                  onSelect={() => {
                    setSearch({ mode: mode === 'test' ? null : 'test' }, true)
                    onClose()
                  }}
                >
                  {mode === 'test' ? 'Switch to live mode' : 'Switch to test mode'}
                </Command.Item>
              </Command.Group>
              {apps && apps.length > 1 && (
                <Command.Group heading="Applications" className={group}>
                  {apps.map(({ name, slug }) => (
                    <Command.Item
                      key={slug}
                      className={item}
                      value={`application ${name} ${slug}`}
                      onSelect={() => {
                        setSearch({ app: slug }, true)
                        onClose()
                      }}
                    >
                      <bdi>{name}</bdi>
                    </Command.Item>
                  ))}
                </Command.Group>
              )}
            </Command.List>
          </Command>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

/** Pages open the form of their primary action when the query says `act=new`. */
const actions = [
  { words: 'Mint a key', path: '/keys' },
  { words: 'Grant credit', path: '/grants' },
  { words: 'Add a model name', path: '/models' },
  { words: 'Add a router', path: '/routers' },
  { words: 'Create a bundle', path: '/bundles' },
  { words: 'Connect a provider', path: '/providers' },
  { words: 'Create an application', path: '/apps' },
  { words: 'Invite somebody to the team', path: '/team' },
  { words: 'Create a token', path: '/tokens' },
  { words: 'Add an emitter', path: '/emitters' },
]
