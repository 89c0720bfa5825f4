import { expect, it } from 'vitest'
import { addressesOf } from './predict-addresses.ts'

const known = [
  { slug: 'g', gateway: 'https://g.gw.example.com', portal: 'https://g.my.example.com' },
  { slug: 'acme', gateway: 'https://acme.gw.example.com', portal: 'https://acme.my.example.com' },
]

it('the hosts of a new application are predicted from the hosts of existing applications', () => {
  expect(addressesOf('shop', known, 'https://console.example.com')).toEqual({
    gateway: 'https://shop.gw.example.com',
    portal: 'https://shop.my.example.com',
  })
})

it('localhost hosts are predicted for the first application of a local server', () => {
  expect(addressesOf('shop', [], 'http://127.0.0.1:8080')).toEqual({
    gateway: 'http://shop.gateway.localhost:8080',
    portal: 'http://shop.portal.localhost:8080',
  })
})

it('no addresses are predicted for the first application of another server', () => {
  expect(addressesOf('shop', [], 'https://console.example.com')).toBeNull()
})
