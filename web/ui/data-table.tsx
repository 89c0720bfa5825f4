/**
 * A table of records: sticky head, rows that exist only where one looks, pages that come as one scrolls, columns to
 * choose, j and k and Enter. What is shown while new data come is the last, dimmed.
 */
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import {
  memo,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { FailureNote } from './failure.tsx'
import { Menu } from './overlays.tsx'
import { Skeleton } from './state.tsx'

export interface Column<Row> {
  readonly id: string
  /** Its head; the unit of its values stands there, once. */
  readonly head: string
  /** Of buttons: the head is said, and not shown. */
  readonly isHeadHidden?: boolean
  readonly unit?: string
  /** Numbers stand at the right. */
  readonly isNumber?: boolean
  /** Not there until it is chosen. */
  readonly isExtra?: boolean
  /** The rows can be sorted by it, under this name; first from the highest or the latest on, unless `isRising`. */
  readonly sort?: { readonly by: string; readonly isRising?: boolean }
  /** Least and most width, as CSS: `minmax(…)` is not needed. */
  readonly width?: string
  readonly cell: (row: Row) => ReactNode
}

export interface Rows<Row> {
  /** Undefined: the first have not come. */
  readonly rows: readonly Row[] | undefined
  readonly error?: unknown
  /** Newer data than those that are shown are on their way. */
  readonly isStale?: boolean
  readonly hasMore?: boolean
  readonly isLoadingMore?: boolean
  readonly loadMore?: () => void
  readonly retry?: () => void
}

/** The order of the rows, and what the head of a column does when it is pressed. */
export interface Sort {
  readonly by: string
  readonly isRising: boolean
  readonly onChange: (by: string, isRising: boolean) => void
}

const rowHeight = 36
/** Below, all rows are in the document: find-in-page and assistive technology see them all. */
const virtualFrom = 120

export function DataTable<Row>({
  columns,
  empty,
  foot,
  isChosen,
  label,
  name,
  onOpen,
  rowKey,
  rows: { error, hasMore = false, isLoadingMore = false, isStale = false, loadMore, retry, rows },
  sort,
  tools,
}: {
  /** What the rows are, for whoever does not see them. */
  readonly label: string
  /** Under which the chosen columns are remembered. */
  readonly name: string
  readonly columns: readonly Column<Row>[]
  readonly rows: Rows<Row>
  readonly rowKey: (row: Row) => string
  /** Opens the row: the first column is its button. */
  readonly onOpen?: (row: Row) => void
  /** The row that is open. */
  readonly isChosen?: (row: Row) => boolean
  /** In place of rows when there are none. */
  readonly empty: ReactNode
  /** What all rows add up to, by id of the column; the first column names it. */
  readonly foot?: Readonly<Record<string, ReactNode>>
  /** Omitted: the rows have one order. */
  readonly sort?: Sort
  /** Beside the choice of columns: filters, export. */
  readonly tools?: ReactNode
}): ReactNode {
  const [hidden, setHidden] = useHiddenColumns(name, columns)
  const shown = useMemo(() => columns.filter(({ id }) => !hidden.has(id)), [columns, hidden])
  const body = useRef<HTMLTableSectionElement>(null)
  const [offset, setOffset] = useState(0)
  const count = rows?.length ?? 0
  const isVirtual = count > virtualFrom
  useLayoutEffect(() => {
    const top = (body.current?.getBoundingClientRect().top ?? 0) + window.scrollY
    setOffset(top)
  }, [isVirtual])
  const virtual = useWindowVirtualizer({
    count: isVirtual ? count : 0,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: offset,
  })
  const items = isVirtual
    ? virtual.getVirtualItems().map(({ index }) => index)
    : Array.from({ length: count }, (_, index) => index)
  const opens = useRef(onOpen)
  useLayoutEffect(() => void (opens.current = onOpen))
  // Pages make theirs anew each time they are drawn, as when a page of rows comes: with that, all rows were drawn again.
  const open = useCallback((row: Row) => opens.current?.(row), [])
  const hasChoice = columns.some(({ isExtra }) => isExtra === true)
  const hasTools = hasChoice || tools !== undefined
  const first = items[0] ?? 0
  const last = items.at(-1) ?? -1

  // Lists that are drawn whole get their next page when their end comes near the window (`Ahead`).
  useEffect(() => {
    if (isVirtual && hasMore && !isLoadingMore && error === undefined && last >= count - 30) loadMore?.()
  }, [isVirtual, hasMore, isLoadingMore, error, last, count, loadMore])

  const onKeyDown = (event: KeyboardEvent<HTMLTableSectionElement>): void => {
    const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key]
    if (by === undefined || event.metaKey || event.ctrlKey || event.altKey) return
    if (event.target instanceof HTMLElement && event.target.matches('input, select, textarea')) return
    const here = event.target instanceof HTMLElement ? event.target.closest('tr') : null
    const next = by > 0 ? here?.nextElementSibling : here?.previousElementSibling
    const target = next?.querySelector<HTMLElement>('[data-opens]')
    if (!target) return
    event.preventDefault()
    target.focus()
  }

  if (error !== undefined && error !== null && rows === undefined) {
    return (
      <FailureNote error={error} title={`${label} cannot be shown.`} {...(retry && { onRetry: retry })} />
    )
  }
  return (
    <div>
      {hasTools && (
        <div className="mb-2 flex min-h-9 flex-wrap items-center gap-2">
          <div className="flex min-w-0 flex-1 flex-wrap items-center gap-2">{tools}</div>
          {hasChoice && (
            <Menu
              trigger={
                <Button size="small" kind="quiet">
                  Columns
                </Button>
              }
              entries={columns.slice(1).map(({ head, id }) => ({
                words: head,
                isChosen: !hidden.has(id),
                onSelect: () => setHidden(id),
              }))}
            />
          )}
        </div>
      )}
      {rows?.length === 0 ? (
        empty
      ) : (
        <Sideways label={label}>
          <table
            aria-label={label}
            aria-rowcount={hasMore ? -1 : count + 1}
            aria-busy={isStale || rows === undefined || undefined}
            className="w-full border-collapse text-14"
          >
            {/* Where the table itself scrolls sideways, its head would stick to it, over its first row. */}
            <thead className="bg-surface group-data-scrolled/sideways:static! tablet:sticky tablet:top-[var(--head,0px)] tablet:z-10">
              {/* Columns are as wide as their rows make them: a head that was read before would be pushed aside. */}
              <tr key={rows === undefined ? 'waits' : 'known'} aria-rowindex={1}>
                {shown.map(({ head, id, isHeadHidden, isNumber, sort: own, unit, width }) => (
                  <th
                    key={id}
                    scope="col"
                    aria-sort={
                      own === undefined || sort?.by !== own.by
                        ? undefined
                        : sort.isRising
                          ? 'ascending'
                          : 'descending'
                    }
                    style={width === undefined ? undefined : { width }}
                    className={classNames(
                      'h-9 border-b border-line px-2 text-13 font-medium whitespace-nowrap text-ink-3 first:pl-0 last:pr-0',
                      isNumber === true ? 'text-right' : 'text-left',
                    )}
                  >
                    {isHeadHidden === true || rows === undefined ? (
                      <span className="sr-only">{head}</span>
                    ) : sort !== undefined && own !== undefined ? (
                      <SortButton head={head} own={own} sort={sort} />
                    ) : (
                      head
                    )}
                    {unit !== undefined && rows !== undefined && <span className="font-normal"> {unit}</span>}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody ref={body} onKeyDown={onKeyDown} className={classNames(isStale && 'opacity-60')}>
              {rows === undefined &&
                Array.from({ length: 8 }, (_, at) => (
                  // oxlint-disable-next-line react/no-array-index-key -- they are all the same
                  <tr key={at}>
                    {shown.map(({ id }) => (
                      <td key={id} className="h-9 border-b border-line px-2 first:pl-0 last:pr-0">
                        <Skeleton className="w-3/4" />
                      </td>
                    ))}
                  </tr>
                ))}
              {isVirtual && first > 0 && <tr aria-hidden style={{ height: first * rowHeight }} />}
              {items.map((index) => {
                const row = rows?.[index]
                if (row === undefined) return null
                return (
                  <TableRow
                    key={rowKey(row)}
                    row={row}
                    index={index}
                    columns={shown}
                    isChosen={isChosen?.(row) === true}
                    onOpen={onOpen && open}
                  />
                )
              })}
              {isVirtual && last < count - 1 && (
                <tr aria-hidden style={{ height: (count - 1 - last) * rowHeight }} />
              )}
            </tbody>
            {foot !== undefined && count > 0 && (
              <tfoot className={classNames('font-medium', isStale && 'opacity-60')}>
                <tr>
                  {shown.map(({ id, isNumber }, at) =>
                    at === 0 ? (
                      <th
                        key={id}
                        scope="row"
                        className="h-9 border-t border-edge pr-2 text-left font-medium"
                      >
                        {foot[id]}
                      </th>
                    ) : (
                      <td
                        key={id}
                        className={classNames(
                          'h-9 border-t border-edge px-2 last:pr-0',
                          isNumber === true && 'figures text-right',
                        )}
                      >
                        {foot[id]}
                      </td>
                    ),
                  )}
                </tr>
              </tfoot>
            )}
          </table>
        </Sideways>
      )}
      {rows !== undefined && error !== undefined && error !== null && (
        <div className="mt-3">
          <FailureNote error={error} title="The rest cannot be shown." {...(retry && { onRetry: retry })} />
        </div>
      )}
      {hasMore && count > 0 && (
        <Ahead isReady={!isLoadingMore && !isStale && error === undefined} onNear={() => loadMore?.()}>
          <Button size="small" kind="quiet" isBusy={isLoadingMore} onClick={() => loadMore?.()}>
            {isLoadingMore ? 'Loading more' : 'Load more'}
          </Button>
        </Ahead>
      )}
    </div>
  )
}

/** What stands at the end of a list: once it comes near the window, the next page is loaded. */
function Ahead({
  children,
  isReady,
  onNear,
}: {
  readonly isReady: boolean
  readonly onNear: () => void
  readonly children: ReactNode
}): ReactNode {
  const element = useRef<HTMLDivElement>(null)
  const near = useEffectEvent(onNear)
  useEffect(() => {
    const box = element.current
    if (!box || !isReady) return
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && near(),
      { rootMargin: '400px' },
    )
    observer.observe(box)
    return () => observer.disconnect()
  }, [isReady])
  return (
    <div ref={element} className="flex justify-center py-4">
      {children}
    </div>
  )
}

/** The head of a column that rows can be sorted by. The arrow has its room before it is seen, so nothing moves. */
function SortButton({
  head,
  own,
  sort,
}: {
  readonly head: string
  readonly own: NonNullable<Column<unknown>['sort']>
  readonly sort: Sort
}): ReactNode {
  const isSorted = sort.by === own.by
  return (
    <button
      type="button"
      className="group/sort rounded font-medium hover:text-ink"
      onClick={() => sort.onChange(own.by, isSorted ? !sort.isRising : own.isRising === true)}
    >
      {head}
      <span aria-hidden className={classNames('ml-1', !isSorted && 'invisible group-hover/sort:visible')}>
        {(isSorted ? sort.isRising : own.isRising === true) ? '↑' : '↓'}
      </span>
    </button>
  )
}

/** Where its columns have no room the table scrolls sideways, and the page does not: the keyboard reaches it too. */
function Sideways({ children, label }: { readonly label: string; readonly children: ReactNode }): ReactNode {
  const element = useRef<HTMLDivElement>(null)
  const [isScrolled, setScrolled] = useState(false)
  useLayoutEffect(() => {
    const box = element.current
    if (!box) return
    const look = (): void => setScrolled(box.scrollWidth > box.clientWidth)
    const observer = new ResizeObserver(look)
    observer.observe(box)
    if (box.firstElementChild) observer.observe(box.firstElementChild)
    return () => observer.disconnect()
  }, [])
  return (
    <div
      ref={element}
      {...(isScrolled && {
        tabIndex: 0,
        role: 'group',
        'aria-label': `${label}, scrolls sideways`,
        'data-scrolled': true,
      })}
      className={classNames(
        'group/sideways relative -mx-4 overflow-x-auto px-4 tablet:mx-0 tablet:px-0',
        !isScrolled && 'tablet:overflow-visible',
      )}
    >
      {children}
    </div>
  )
}

interface TableRowProps<Row> {
  readonly row: Row
  readonly index: number
  readonly columns: readonly Column<Row>[]
  readonly isChosen: boolean
  readonly onOpen: ((row: Row) => void) | undefined
}

/** While one scrolls, only the rows that come are drawn; those that stay are not drawn again. */
const TableRow = memo(function TableRow<Row>({
  columns,
  index,
  isChosen,
  onOpen,
  row,
}: TableRowProps<Row>): ReactNode {
  return (
    <tr
      aria-rowindex={index + 2}
      aria-current={isChosen ? 'true' : undefined}
      onClick={
        onOpen &&
        ((event) => {
          const isOwn = event.target instanceof Element && event.target.closest('a, button, input, label')
          if (!isOwn && window.getSelection()?.isCollapsed !== false) onOpen(row)
        })
      }
      className={classNames('aria-current:bg-accent-2', onOpen && 'cursor-pointer hover:bg-surface-2')}
    >
      {columns.map(({ cell, id, isNumber }, at) => (
        <td
          key={id}
          className={classNames(
            'h-9 border-b border-line px-2 first:pl-0 last:pr-0',
            isNumber === true ? 'figures text-right' : 'max-w-80 truncate',
          )}
        >
          {at === 0 && onOpen ? (
            <button
              type="button"
              data-opens
              onClick={() => onOpen(row)}
              className="block max-w-full truncate py-1 text-left font-medium"
            >
              {cell(row)}
            </button>
          ) : (
            cell(row)
          )}
        </td>
      ))}
    </tr>
  )
}) as <Row>(props: TableRowProps<Row>) => ReactNode

function useHiddenColumns<Row>(
  name: string,
  columns: readonly Column<Row>[],
): readonly [ReadonlySet<string>, (id: string) => void] {
  const key = `tollgate columns ${name}`
  const [hidden, setHidden] = useState<ReadonlySet<string>>(() => {
    const kept = localStorage.getItem(key)
    return new Set(
      kept === null ? columns.filter(({ isExtra }) => isExtra).map(({ id }) => id) : kept.split(' '),
    )
  })
  const toggle = (id: string): void => {
    const next = new Set(hidden)
    if (!next.delete(id)) next.add(id)
    localStorage.setItem(key, [...next].join(' '))
    setHidden(next)
  }
  return [hidden, toggle]
}
