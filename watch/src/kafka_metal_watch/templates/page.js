// The filter is stored in the fragment of the address, so that it survives a reload.
const field = document.querySelector("input");
function show() {
  const part = field.value.toLowerCase();
  for (const row of document.querySelectorAll("tbody tr"))
    row.hidden = !row.textContent.toLowerCase().includes(part);
  history.replaceState(null, "", part ? "#" + encodeURIComponent(part) : location.pathname);
}
field.value = decodeURIComponent(location.hash.slice(1));
field.addEventListener("input", show);
show();
