// libcurl: HTTP. Its variadic functions, with one typed face for each kind of argument.
#ifndef BELAY_CURL_SHIMS_H
#define BELAY_CURL_SHIMS_H

#include <curl/curl.h>
#include <stdlib.h>

// curl.h makes these names macros that check types, which Swift cannot call.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt
#undef curl_share_setopt

// libcurl's own memory functions but for the one that copies texts. No effect where it was called before in this process.
static inline CURLcode belay_curl_global_init(curl_strdup_callback copy) {
    return curl_global_init_mem(CURL_GLOBAL_DEFAULT, malloc, free, realloc, copy, calloc);
}

static inline CURLcode belay_curl_set_number(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode belay_curl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

// Texts are copied by libcurl; NULL goes back to none.
static inline CURLcode belay_curl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

// Pointers are kept, not copied: lists, handles, callback arguments, bodies.
static inline CURLcode belay_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

typedef size_t (*belay_curl_data_callback)(char *bytes, size_t size, size_t count, void *argument);
typedef CURLcode (*belay_curl_context_callback)(CURL *easy, void *context, void *argument);

static inline CURLcode belay_curl_set_data_callback(CURL *easy, CURLoption option, belay_curl_data_callback value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode belay_curl_set_context_callback(CURL *easy, belay_curl_context_callback value) {
    return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, value);
}

static inline CURLcode belay_curl_set_prerequest_callback(CURL *easy, curl_prereq_callback value) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode belay_curl_set_socket_callback(CURL *easy, curl_opensocket_callback value) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline CURLcode belay_curl_set_close_callback(CURL *easy, curl_closesocket_callback value) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, value);
}

static inline CURLcode belay_curl_set_resolver_callback(CURL *easy, curl_resolver_start_callback value) {
    return curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, value);
}

static inline CURLcode belay_curl_set_progress_callback(CURL *easy, curl_xferinfo_callback value) {
    return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, value);
}

static inline CURLcode belay_curl_set_seek_callback(CURL *easy, curl_seek_callback value) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, value);
}

static inline CURLcode belay_curl_set_debug_callback(CURL *easy, curl_debug_callback value) {
    return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, value);
}

static inline CURLcode belay_curl_number(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode belay_curl_size(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode belay_curl_text(CURL *easy, CURLINFO info, char **value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode belay_curl_pointer(CURL *easy, CURLINFO info, void **value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode belay_curl_list(CURL *easy, CURLINFO info, struct curl_slist **value) {
    return curl_easy_getinfo(easy, info, value);
}

// Macros with casts, which Swift does not import.
static const long belay_curlauth_basic = (long)CURLAUTH_BASIC;

// The SSL of a transfer's connection; NULL where there is none.
static inline void *belay_curl_ssl(CURL *easy) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || session == NULL) return NULL;
    return session->backend == CURLSSLBACKEND_OPENSSL ? session->internals : NULL;
}

static inline CURLMcode belay_curl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode belay_curl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode belay_curl_multi_set_socket_callback(CURLM *multi, curl_socket_callback value) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}

static inline CURLMcode belay_curl_multi_set_timer_callback(CURLM *multi, curl_multi_timer_callback value) {
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}

static inline CURLSHcode belay_curl_share_data(CURLSH *share, curl_lock_data value) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, value);
}

// The message of a finished transfer; the union's member depends on the kind.
static inline CURLcode belay_curl_message_result(const CURLMsg *message) {
    return message->data.result;
}

#endif
