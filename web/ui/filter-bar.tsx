/**
 * The field first suggests the names of filters, then the values of the chosen filter. A pasted ID selects its filter
 * automatically. `/` focuses the field (`data-filter`).
 */
// A list of a combobox is operated from its field, which keeps the focus (w3.org/WAI/ARIA/apg/patterns/combobox).
/* oxlint-disable jsx-a11y/prefer-tag-over-role, jsx-a11y/no-noninteractive-element-to-interactive-role, jsx-a11y/click-events-have-key-events */
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { IconButton } from './button.tsx'
import { classNames } from './class-names.ts'
import {
  faultOf,
  isLike,
  offersOf,
  suggestingFilter,
  typedOf,
  valueOfTyped,
  wordsOfValue,
  type Filter,
  type FilterChoice,
  type FilterValues,
  type Offer,
} from './filter-suggestions.ts'
import { CloseIcon, SearchIcon } from './icons.tsx'

/** @param onChange keeps all other filters; null removes a filter */
export function FilterBar({
  children,
  filters,
  label = 'Filters',
  onChange,
  values,
}: {
  readonly filters: readonly Filter[]
  readonly values: FilterValues
  readonly onChange: (changes: Readonly<Record<string, string | null>>) => void
  readonly label?: string
  readonly children?: ReactNode
}): ReactNode {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [taken, setTaken] = useState<Filter | null>(null)
  const [isOpen, setOpen] = useState(false)
  const [at, setAt] = useState(-1)
  const suggested = useSuggested(taken ?? (text.trim() === '' ? null : suggestingFilter(filters)), text)
  const offers = isOpen ? offersOf({ filters, values, taken, text, suggested }) : []
  const chosen = filters.filter(({ name }) => values[name] !== undefined)
  const fault = taken && text.trim() !== '' && !isOpen ? faultOf(taken, text) : undefined

  const begin = (filter: Filter | null, typed = ''): void => {
    setTaken(filter)
    setText(typed)
    setAt(-1)
    setOpen(filter !== null)
    input.current?.focus()
  }
  const set = (filter: Filter, value: string): void => {
    onChange({ [filter.name]: value })
    begin(null)
    setOpen(false)
  }
  const choose = (offer: Offer): void => {
    if (offer.value === null) begin(offer.filter)
    else set(offer.filter, offer.value)
  }
  const enter = (): void => {
    const offer = offers[at]
    if (offer) return choose(offer)
    if (taken) {
      const value = valueOfTyped(taken, text)
      if (value !== null) set(taken, value)
      else setOpen(false)
      return
    }
    const [only] = offers
    if (only && text.trim() !== '') choose(only)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.nativeEvent.isComposing) return
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp': {
        event.preventDefault()
        if (!isOpen) return setOpen(true)
        const by = event.key === 'ArrowDown' ? 1 : -1
        const count = offers.length
        return setAt(count === 0 ? -1 : (at + by + count + (at === -1 && by === -1 ? 1 : 0)) % count)
      }
      case 'Enter':
        event.preventDefault()
        return enter()
      case 'Escape':
        if (isOpen || taken || text !== '') event.stopPropagation()
        if (isOpen && taken === null) setOpen(false)
        else if (taken || text !== '') begin(null)
        else input.current?.blur()
        return
      case 'Backspace': {
        if (text !== '') return
        const last = chosen.at(-1)
        if (taken) begin(null)
        else if (last) onChange({ [last.name]: null })
        return
      }
      default:
    }
  }

  return (
    <search aria-label={label} className="min-w-0 flex-1">
      <div className="flex min-h-9 flex-wrap items-center gap-1.5">
        {chosen.map((filter) => (
          <Chip
            key={filter.name}
            filter={filter}
            value={values[filter.name] ?? ''}
            onEdit={() => begin(filter, typedOf(filter, values[filter.name] ?? ''))}
            onRemove={() => {
              onChange({ [filter.name]: null })
              input.current?.focus()
            }}
          />
        ))}
        <div className="relative min-w-44 flex-1">
          <div className="flex h-9 items-center gap-1.5 rounded border border-edge bg-surface px-2.5 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent">
            {taken ? (
              <span className="text-13 font-medium whitespace-nowrap">{taken.label}:</span>
            ) : (
              <SearchIcon className="size-4 shrink-0 text-ink-3" />
            )}
            <input
              ref={input}
              data-filter
              role="combobox"
              aria-label={taken ? `${taken.label}: value` : 'Add filter'}
              aria-expanded={isOpen && offers.length > 0}
              aria-controls={`${id}-list`}
              aria-autocomplete="list"
              aria-activedescendant={at >= 0 && offers[at] ? `${id}-${at}` : undefined}
              aria-invalid={fault === undefined ? undefined : true}
              aria-describedby={fault === undefined ? undefined : `${id}-fault`}
              aria-keyshortcuts="/"
              autoComplete="off"
              spellCheck={false}
              placeholder={taken ? (taken.placeholder ?? '') : chosen.length > 0 ? 'Add filter' : 'Filter'}
              value={text}
              onChange={(event) => {
                setText(event.target.value)
                setOpen(true)
                setAt(-1)
              }}
              onFocus={() => setOpen(true)}
              onBlur={() => setOpen(false)}
              onClick={() => setOpen(true)}
              onKeyDown={onKeyDown}
              className="w-full min-w-0 bg-transparent text-14 outline-none placeholder:text-ink-3"
            />
            {(taken !== null || text !== '') && (
              <IconButton label="Clear input" className="-mr-1.5" onClick={() => begin(null)}>
                <CloseIcon className="size-3.5" />
              </IconButton>
            )}
          </div>
          <ul
            id={`${id}-list`}
            role="listbox"
            aria-label={taken ? taken.label : 'Filters'}
            hidden={offers.length === 0}
            className="absolute top-full left-0 z-30 mt-1 max-h-80 w-max max-w-[min(28rem,calc(100vw-2rem))] min-w-full overflow-y-auto rounded bg-surface py-1 shadow-float"
          >
            {offers.map((offer, index) => (
              <li
                key={`${offer.filter.name} ${offer.value ?? ''}`}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === at}
                // The field must keep the focus.
                onMouseDown={(event) => event.preventDefault()}
                onMouseMove={() => setAt(index)}
                onClick={() => choose(offer)}
                className={classNames(
                  'flex min-h-8 cursor-default items-center gap-3 px-3 py-1 text-14',
                  index === at && 'bg-surface-3',
                )}
              >
                <bdi className="min-w-0 flex-1 truncate" title={offer.words}>
                  {offer.words}
                </bdi>
                {offer.about !== undefined && <span className="text-12 text-ink-3">{offer.about}</span>}
              </li>
            ))}
          </ul>
        </div>
        {chosen.length > 1 && (
          <button
            type="button"
            className="h-7 rounded px-2 text-13 text-ink-2 hover:bg-surface-2 hover:text-ink"
            onClick={() => {
              onChange(Object.fromEntries(chosen.map(({ name }) => [name, null])))
              input.current?.focus()
            }}
          >
            Clear filters
          </button>
        )}
        {children}
      </div>
      {fault !== undefined && (
        <p id={`${id}-fault`} role="alert" className="mt-1 text-13 text-negative">
          {fault}
        </p>
      )}
      {taken?.help !== undefined && fault === undefined && (
        <p className="mt-1 text-13 text-ink-3">{taken.help}</p>
      )}
    </search>
  )
}

function Chip({
  filter,
  onEdit,
  onRemove,
  value,
}: {
  readonly filter: Filter
  readonly value: string
  readonly onEdit: () => void
  readonly onRemove: () => void
}): ReactNode {
  const words = wordsOfValue(filter, value)
  return (
    <span className="inline-flex h-7 max-w-full items-center rounded border border-line bg-surface-2 text-13">
      <button
        type="button"
        onClick={onEdit}
        title={`${filter.label}: ${words}`}
        className="flex h-full min-w-0 items-center gap-1 rounded pr-1 pl-2"
      >
        <span className="whitespace-nowrap text-ink-3">{filter.label}</span>
        <bdi className="max-w-60 truncate font-medium">{words}</bdi>
      </button>
      <button
        type="button"
        aria-label={`Remove filter: ${filter.label} ${words}`}
        onClick={onRemove}
        className="grid h-full w-6 place-items-center rounded text-ink-3 hover:text-ink"
      >
        <CloseIcon className="size-3" />
      </button>
    </span>
  )
}

function useSuggested(taken: Filter | null, text: string): readonly FilterChoice[] {
  const suggest = taken?.kind === 'text' ? taken.suggest : undefined
  const [found, setFound] = useState<{
    readonly by: typeof suggest
    readonly typed: string
    readonly choices: readonly FilterChoice[]
  } | null>(null)
  const typed = text.trim()
  useEffect(() => {
    if (!suggest) return
    const abort = new AbortController()
    const timer = setTimeout(() => {
      void suggest(typed, abort.signal).then(
        (choices) => !abort.signal.aborted && setFound({ by: suggest, typed, choices }),
        () => undefined,
      )
    }, 150)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [suggest, typed])
  if (found === null || found.by !== suggest) return none
  // Until the suggestions for the new text arrive, Enter must not choose a suggestion for an earlier text.
  return found.typed === typed ? found.choices : found.choices.filter((choice) => isLike(choice, typed))
}

const none: readonly FilterChoice[] = []
