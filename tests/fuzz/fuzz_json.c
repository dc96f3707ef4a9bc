/* JSON: a document that is read and written again is the same document. */
#include "fuzz.h"
#include "core/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    json_t *value, *again;
    recon_status status = recon_json_parse(fuzz_ctx(), &value, bytes, size, "fuzz");
    if (status != RECON_OK) {
        fuzz_check_failure(status);
        FUZZ_CHECK(!value);
        return 0;
    }
    char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17));
    FUZZ_CHECK(text);
    FUZZ_CHECK(recon_json_parse(fuzz_ctx(), &again, text, strlen(text), "again") == RECON_OK);
    FUZZ_CHECK(json_equal(value, again));
    json_decref(value);
    json_decref(again);
    free(text);
    return 0;
}
