/** Whose portal it is. The document says it, so that it is there before anybody is signed in. */
import type * as types from '#sdk/generated/types.ts'

const unbranded: types.PortalBrand = {
  productName: document.title,
  primaryColor: '#2743c4',
  textColor: '#ffffff',
  supportEmail: null,
  supportUrl: null,
  topUpUrl: null,
  payUrl: null,
  logo: null,
}

export const brand: types.PortalBrand = { ...unbranded, ...told() }

function told(): Partial<types.PortalBrand> {
  const text = document.querySelector<HTMLMetaElement>('meta[name="brand"]')?.content
  // The server writes it (src/http/pages/portal-document.ts).
  return text === undefined ? {} : (JSON.parse(text) as Partial<types.PortalBrand>)
}

/** Where people ask for help; null: the application has not said. */
export function supportLink(): string | null {
  return brand.supportUrl ?? (brand.supportEmail === null ? null : `mailto:${brand.supportEmail}`)
}
