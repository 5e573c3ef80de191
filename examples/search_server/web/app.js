document.querySelector('main').textContent = location.pathname;
