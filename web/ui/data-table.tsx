/**
 * Pages of rows load while scrolling, and only visible rows are rendered. Users can select columns. The keys j, k and
 * Enter move between rows and open rows.
 */
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import {
  memo,
  useCallback,
  useEffect,
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
import { Menu } from './dialog-sheet-and-menu.tsx'
import { Skeleton } from './status-notes-and-placeholders.tsx'
import { Ahead, Sideways, SortButton, type ColumnSort, type Sort } from './table-parts.tsx'
import { useIsPhone } from './use-is-phone.ts'
import { useHiddenColumns } from './use-hidden-columns.ts'

export interface Column<Row> {
  readonly id: string
  readonly head: string
  /** Only screen readers announce the head, as in columns of buttons. */
  readonly isHeadHidden?: boolean
  readonly unit?: string
  readonly isNumber?: boolean
  readonly isExtra?: boolean
  /** If omitted, rows cannot be sorted by this column. */
  readonly sort?: ColumnSort
  /** Minimum and maximum width in CSS, without `minmax(…)`. */
  readonly width?: string
  /** The card replaces the row on phones, and is as wide as the table. */
  readonly isCard?: boolean
  readonly cell: (row: Row) => ReactNode
}

export interface Rows<Row> {
  /** Undefined until the first rows arrive. */
  readonly rows: readonly Row[] | undefined
  readonly error?: unknown
  readonly isStale?: boolean
  readonly hasMore?: boolean
  readonly isLoadingMore?: boolean
  readonly loadMore?: () => void
  readonly retry?: () => void
}

const rowHeight = 36
const cardHeight = 60
/** Find-in-page and assistive technology reach every row of a table with at most this many rows. */
const virtualFrom = 120

export function DataTable<Row>({
  card,
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
  readonly label: string
  /** The browser stores the hidden columns under this name. */
  readonly name: string
  readonly columns: readonly Column<Row>[]
  /** Must be the same function in every rendering. */
  readonly card?: (row: Row) => ReactNode
  readonly rows: Rows<Row>
  readonly rowKey: (row: Row) => string
  /** The first column becomes the button that opens the row. */
  readonly onOpen?: (row: Row) => void
  readonly isChosen?: (row: Row) => boolean
  readonly empty: ReactNode
  /** By column ID. The entry for the first column is the label of the totals. */
  readonly foot?: Readonly<Record<string, ReactNode>>
  /** If omitted, the order of the rows is fixed. */
  readonly sort?: Sort
  readonly tools?: ReactNode
}): ReactNode {
  const [hidden, setHidden] = useHiddenColumns(name, columns)
  const isPhone = useIsPhone()
  const asCard = isPhone ? card : undefined
  const shown = useMemo(
    (): readonly Column<Row>[] =>
      asCard === undefined
        ? columns.filter(({ id }) => !hidden.has(id))
        : [{ id: 'card', head: label, isCard: true, cell: asCard }],
    [asCard, columns, hidden, label],
  )
  const height = asCard === undefined ? rowHeight : cardHeight
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
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: offset,
  })
  const items = isVirtual
    ? virtual.getVirtualItems().map(({ index }) => index)
    : Array.from({ length: count }, (_, index) => index)
  const opens = useRef(onOpen)
  useLayoutEffect(() => void (opens.current = onOpen))
  // Pages create a new `onOpen` at each rendering, which would otherwise render all rows again.
  const open = useCallback((row: Row) => opens.current?.(row), [])
  const hasChoice = asCard === undefined && columns.some(({ isExtra }) => isExtra === true)
  const hasTools = hasChoice || tools !== undefined
  const first = items[0] ?? 0
  const last = items.at(-1) ?? -1

  // `Ahead` loads the next page of lists that are not virtual.
  useEffect(() => {
    if (isVirtual && hasMore && !isLoadingMore && error === undefined && last >= count - 30) loadMore?.()
  }, [isVirtual, hasMore, isLoadingMore, error, last, count, loadMore])

  const onKeyDown = (event: KeyboardEvent<HTMLTableSectionElement>): void => {
    const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key]
    if (by === undefined || event.metaKey || event.ctrlKey || event.altKey) return
    if (event.target instanceof HTMLElement && event.target.matches('input, select, textarea')) return
    const here = event.target instanceof HTMLElement ? event.target.closest('tr') : null
    const next =
      here === null
        ? firstInView(event.currentTarget)
        : by > 0
          ? here.nextElementSibling
          : here.previousElementSibling
    const target = next?.querySelector<HTMLElement>('[data-opens]')
    if (!target) return
    event.preventDefault()
    target.focus()
  }

  if (error !== undefined && error !== null && rows === undefined) {
    return (
      <FailureNote error={error} title={`${label} couldn't be loaded.`} {...(retry && { onRetry: retry })} />
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
            {/* If the table itself scrolls horizontally, a sticky head would cover the first row. */}
            <thead className="bg-surface group-data-scrolled/sideways:static! tablet:sticky tablet:top-[var(--head,0px)] tablet:z-10">
              {/* The first rows change the widths of the columns. A new head avoids a layout shift. */}
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
                  // oxlint-disable-next-line react/no-array-index-key -- placeholders are identical
                  <tr key={at}>
                    {shown.map(({ id }) => (
                      <td key={id} className="h-9 border-b border-line px-2 first:pl-0 last:pr-0">
                        <Skeleton className="w-3/4" />
                      </td>
                    ))}
                  </tr>
                ))}
              {isVirtual && first > 0 && <tr aria-hidden style={{ height: first * height }} />}
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
                <tr aria-hidden style={{ height: (count - 1 - last) * height }} />
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
          <FailureNote
            error={error}
            title="More rows couldn't be loaded."
            {...(retry && { onRetry: retry })}
          />
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

/** The body of the table has the focus if the focused row is no longer rendered. */
function firstInView(body: HTMLTableSectionElement): Element | undefined {
  return [...body.rows].find(
    (row) => !row.hasAttribute('aria-hidden') && row.getBoundingClientRect().top >= rowHeight,
  )
}

interface TableRowProps<Row> {
  readonly row: Row
  readonly index: number
  readonly columns: readonly Column<Row>[]
  readonly isChosen: boolean
  readonly onOpen: ((row: Row) => void) | undefined
}

/** Only new rows are rendered while the user scrolls. */
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
      {columns.map(({ cell, id, isCard, isNumber }, at) => (
        <td
          key={id}
          className={classNames(
            'border-b border-line px-2 first:pl-0 last:pr-0',
            isCard === true ? 'h-15' : 'h-9',
            isNumber === true ? 'figures text-right' : isCard !== true && 'max-w-80 truncate',
          )}
        >
          {at === 0 && onOpen ? (
            <button
              type="button"
              data-opens
              onClick={() => onOpen(row)}
              className={classNames(
                'block text-left',
                isCard === true ? 'w-full' : 'max-w-full truncate py-1 font-medium',
              )}
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
