import { testClientsOf } from './cases.ts'

testClientsOf('messages')
