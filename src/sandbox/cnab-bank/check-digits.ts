// Check digits as the simulated bank computes them.

/** Weights 2, 1 from the right, digits of the products summed up. */
export function modulo10(digits: string): number {
  const sum = [...digits].reverse().reduce((total, one, index) => {
    const product = Number(one) * (index % 2 === 0 ? 2 : 1);
    return total + (product > 9 ? product - 9 : product);
  }, 0);
  return (10 - (sum % 10)) % 10;
}

/** The remainder, with weights from 2 up to `largest`, repeated from the right. */
export function modulo11(digits: string, largest: number): number {
  const count = largest - 1;
  return [...digits].reverse().reduce((total, one, index) => total + Number(one) * (2 + (index % count)), 0) % 11;
}
