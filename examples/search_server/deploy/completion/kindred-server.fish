# fish completion for kindred-server
complete -c kindred-server -f
complete -c kindred-server -l settings -r -F -d 'TOML file with settings'
complete -c kindred-server -l database -r -F -d 'Xapian database to serve'
complete -c kindred-server -l library -r -F -d 'libkindred.so to load'
complete -c kindred-server -l name -x -d 'Name of the collection'
complete -c kindred-server -l address -x -d 'Address to listen at'
complete -c kindred-server -l port -x -d 'Port to listen at; 0: any that is free'
complete -c kindred-server -l token-file -r -F -d 'File that holds the token for writing'
complete -c kindred-server -l log-level -x -a 'debug info warning error off' -d 'What is logged'
complete -c kindred-server -l check -d 'Check settings and index, and end'
complete -c kindred-server -s h -l help -d 'Print the options and end'
complete -c kindred-server -l version -d 'Print the version and end'
