;;; kindred-mu4e.el --- related mail and tags in mu4e -*- lexical-binding: t -*-

;; Put this into your init file:
;;
;;     (load "/usr/share/kindred/hosts/mu/kindred-mu4e.el")
;;     (define-key mu4e-headers-mode-map "K" #'kindred-related)
;;     (define-key mu4e-view-mode-map "K" #'kindred-related)
;;     (add-hook 'mu4e-index-updated-hook #'kindred-tag-new-mail)  ; optional

(require 'mu4e)
(require 'json)

(defvar kindred-mu-home
  (expand-file-name "mu" (or (getenv "XDG_CACHE_HOME") "~/.cache"))
  "The folder that mu calls muhome.")

(defvar kindred-mu-script
  (expand-file-name "kindred_mu.py" (file-name-directory (or load-file-name buffer-file-name)))
  "The program that tags new mail.")

(defvar kindred-related-count 20 "How many mails `kindred-related' shows.")

(defun kindred-related-query (msg)
  "The query of mu that finds the mails like MSG."
  (let* ((id (mu4e-message-field msg :message-id))
         (answer (json-read-from-string
                  (with-output-to-string
                    (with-current-buffer standard-output
                      (unless (eq 0 (call-process
                                     "kindred" nil '(t nil) nil "related" "--json"
                                     "--db" (expand-file-name "xapian" kindred-mu-home)
                                     "--id" (concat "msgid:" id)
                                     "--limit" (number-to-string kindred-related-count)))
                        (error "kindred related failed for %s" id)))))))
    (mapconcat (lambda (mail) (format "msgid:\"%s\"" (cdr (assq 'id mail))))
               (cdr (assq 'results (cdr (assq 'result answer)))) " or ")))

(defun kindred-related ()
  "Show the mails that are most like the one at point."
  (interactive)
  (let ((query (kindred-related-query (mu4e-message-at-point)))
        (mu4e-search-include-related nil))
    (if (string= query "") (message "No mail is like this one") (mu4e-search query))))

(defun kindred-tag-new-mail ()
  "Tag new mail as similar mail is tagged, and let mu read it again."
  (dolist (path (process-lines kindred-mu-script "--no-add" "--muhome" kindred-mu-home))
    (mu4e--server-add path)))

(provide 'kindred-mu4e)
;;; kindred-mu4e.el ends here
