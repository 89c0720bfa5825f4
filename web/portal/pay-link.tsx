/** Links to the pages of the application where invoices are paid and credit is sold; nothing where it has set none. */
import type { ReactNode } from 'react'
import { brand } from './brand.ts'

const linkClass = 'brand-text inline-flex min-h-12 items-center underline'

export function PayLink(): ReactNode {
  return brand.payUrl === null ? null : (
    <a className={linkClass} href={brand.payUrl} rel="noreferrer">
      Pay the invoice
    </a>
  )
}

export function TopUpLink(): ReactNode {
  return brand.topUpUrl === null ? null : (
    <a className={linkClass} href={brand.topUpUrl} rel="noreferrer">
      Add credit
    </a>
  )
}
