const BYTES_OF_ID = 16;
/** Bytes of an element: its length, and the id. */
const ELEMENT = 4 + BYTES_OF_ID;
/** Number of dimensions, whether there are nulls, type, size, lower bound. */
const HEAD = 20;
const TYPE_UUID = 2950;

/**
 * Returns ids of 16 bytes each as Postgres receives an array of uuid, for a parameter `$n::uuid[]`. 100,000 ids take 3 ms
 * here and 4 in Postgres; as texts they take 30 and 30.
 */
export function uuidArray(ids: Uint8Array): Buffer {
  const count = ids.length / BYTES_OF_ID;
  const array = Buffer.alloc(HEAD + count * ELEMENT);
  for (const [index, value] of [count === 0 ? 0 : 1, 0, TYPE_UUID, count, 1].entries()) {
    array.writeInt32BE(value, 4 * index);
  }
  for (let index = 0, at = HEAD; index < count; index++, at += ELEMENT) {
    array[at + 3] = BYTES_OF_ID;
    array.set(ids.subarray(index * BYTES_OF_ID, (index + 1) * BYTES_OF_ID), at + 4);
  }
  return count === 0 ? array.subarray(0, 12) : array;
}
