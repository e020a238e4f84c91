// What every page of the site does in the browser: names the site's own address.

for (const place of document.querySelectorAll('[data-site-address]')) {
  place.textContent = location.origin;
}
